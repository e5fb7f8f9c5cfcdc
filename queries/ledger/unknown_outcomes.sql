-- An effect that may exist: an unknown_outcome, or an L0 capture, with the resource to check and who confirmed what. Never
-- counted as failed. A check recorded later on the same resource counts for it.
WITH chosen AS (
    SELECT
        run_id,
        native_id,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        source,
        status,
        started_at
    FROM runs
    WHERE ($run IS NULL OR run_id = $run
           OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run)))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
)
SELECT
    error_events.run_id,
    error_events.event_id,
    error_events.resource,
    coalesce(error_events.error_code, error_events.type) AS error_code,
    error_events.agent,
    coalesce(error_events.checked_state, (
        SELECT arg_min(later.checked_state, later.seq) FROM error_events AS later
        WHERE later.run_id = error_events.run_id AND later.resource = error_events.resource
          AND later.seq > error_events.seq AND later.checked_state IS NOT NULL
    )) AS checked_state,
    coalesce(error_events.checked_by, (
        SELECT arg_min(later.checked_by, later.seq) FROM error_events AS later
        WHERE later.run_id = error_events.run_id AND later.resource = error_events.resource
          AND later.seq > error_events.seq AND later.checked_state IS NOT NULL
    )) AS checked_by,
    CASE WHEN error_events.level = 'L0' THEN 'capture failure' ELSE 'unknown outcome' END AS kind,
    EXISTS (
        SELECT 1 FROM findings
        WHERE findings.run_id = error_events.run_id AND findings.event_id = error_events.event_id
          AND findings.rule IN ('unknown-outcome-collapsed', 'capture-escalated')
    ) AS collapsed,
    error_events.details,
    error_events.occurred_at,
    chosen.run_name,
    chosen.workload,
    count(*) OVER () AS matching
FROM error_events
JOIN chosen ON chosen.run_id = error_events.run_id
WHERE error_events.tool_error_class = 'unknown_outcome' OR error_events.level = 'L0'
ORDER BY checked_state IS NOT NULL, chosen.started_at DESC NULLS LAST, error_events.run_id, error_events.seq
LIMIT $limit
