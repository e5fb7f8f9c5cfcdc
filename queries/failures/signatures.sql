-- Failures by signature, the most frequent first. An error without a signature is in none.
-- `repeats_in_run` counts occurrences after the first in the same run. Times come from a
-- wall clock only: the event's own, else its run's start.
WITH chosen AS (
    SELECT
        run_id,
        started_at,
        clock
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
errors AS (
    SELECT
        error_events.signature,
        coalesce(error_events.signature_partial, false) AS partial,
        coalesce(error_events.error_code, error_events.agent_error_code, error_events.failure_class) AS error_code,
        error_events.type,
        error_events.location,
        error_events.phase,
        error_events.run_id,
        coalesce(CASE WHEN chosen.clock = 'wall' THEN error_events.occurred_at END, chosen.started_at) AS seen_at
    FROM error_events
    JOIN chosen ON chosen.run_id = error_events.run_id
    WHERE error_events.signature IS NOT NULL
)
SELECT
    signature,
    partial,
    min(error_code) AS error_code,
    min(type) AS type,
    min(location) AS location,
    min(phase) AS phase,
    count(*) AS occurrences,
    count(DISTINCT run_id) AS runs,
    min(seen_at) AS first_seen,
    max(seen_at) AS last_seen,
    CAST(NULL AS VARCHAR) AS state,
    count(*) - count(DISTINCT run_id) AS repeats_in_run
FROM errors
GROUP BY signature, partial
ORDER BY occurrences DESC, signature
LIMIT $limit
