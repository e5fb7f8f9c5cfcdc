-- An effect that may exist: an unknown_outcome, or an L0 capture, with the resource to check and who confirmed what. Never
-- counted as failed. A check recorded later on the same resource counts for it.
-- portable
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
),
counted AS (
    SELECT count(*) AS matching
    FROM effects
    WHERE run_id IN (SELECT run_id FROM chosen)
)
SELECT
    effects.run_id,
    effects.event_id,
    effects.resource,
    effects.error_code,
    effects.agent,
    effects.checked_state,
    effects.checked_by,
    effects.kind,
    effects.collapsed,
    effects.details,
    effects.occurred_at,
    chosen.run_name,
    chosen.workload,
    counted.matching
FROM effects
JOIN chosen ON chosen.run_id = effects.run_id
CROSS JOIN counted
ORDER BY effects.checked_state IS NOT NULL, chosen.started_at DESC NULLS LAST, effects.run_id, effects.seq
LIMIT $limit OFFSET $offset
