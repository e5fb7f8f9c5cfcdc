-- A breaker that opened: a full signature seen a second time in its run. What came after it opened is thrash; it closes when
-- a recovery of the same failure succeeds.
WITH chosen AS (
    SELECT
        run_id,
        native_id,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        source,
        status,
        started_at,
        clock
    FROM runs
    WHERE ($run IS NULL OR run_id = $run
           OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run)))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
seen AS (
    SELECT
        error_events.run_id,
        error_events.signature,
        error_events.event_id,
        error_events.error_code,
        error_events.agent,
        error_events.occurred_at,
        error_events.seq,
        row_number() OVER (PARTITION BY error_events.run_id, error_events.signature ORDER BY error_events.seq) AS nth
    FROM error_events
    WHERE error_events.signature IS NOT NULL AND error_events.signature_partial = false
      AND error_events.run_id IN (SELECT run_id FROM chosen)
),
opened AS (
    SELECT
        run_id,
        signature,
        any_value(error_code) AS error_code,
        any_value(agent) AS agent,
        max(event_id) FILTER (nth = 2) AS opened_by,
        max(seq) FILTER (nth = 2) AS opened_seq,
        max(occurred_at) FILTER (nth = 2) AS opened_at,
        count(*) AS occurrences
    FROM seen
    GROUP BY run_id, signature
    HAVING count(*) >= 2
)
SELECT
    opened.run_id,
    opened.signature,
    opened.error_code,
    opened.agent,
    opened.opened_by,
    CASE WHEN chosen.clock = 'wall' THEN opened.opened_at END AS opened_at,
    opened.occurrences,
    1 AS attempts,
    opened.occurrences - 1 AS repeats,
    opened.occurrences - 2 AS after_opening,
    CASE WHEN EXISTS (
        SELECT 1 FROM recovery_events
        WHERE recovery_events.run_id = opened.run_id AND recovery_events.signature = opened.signature
          AND recovery_events.seq > opened.opened_seq AND recovery_events.outcome = 'RECOVERED'
    ) THEN 'closed by a recovery' ELSE 'open at the end' END AS state,
    chosen.run_name,
    chosen.workload,
    count(*) OVER () AS matching
FROM opened
JOIN chosen ON chosen.run_id = opened.run_id
ORDER BY after_opening DESC, chosen.started_at DESC NULLS LAST, opened.run_id, opened.signature
LIMIT $limit
