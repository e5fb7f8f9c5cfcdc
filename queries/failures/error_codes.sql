-- Errors by their code, the most frequent first. `named_by` says which column the code is from: the machine code, the
-- agent's error code, else the type.
WITH chosen AS (
    SELECT
        run_id,
        started_at
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
)
SELECT
    coalesce(error_events.error_code, error_events.agent_error_code, error_events.type, 'not recorded') AS code,
    CASE
        WHEN error_events.error_code IS NOT NULL THEN 'error code'
        WHEN error_events.agent_error_code IS NOT NULL THEN 'agent error code'
        WHEN error_events.type IS NOT NULL THEN 'type'
        ELSE 'nothing'
    END AS named_by,
    count(*) AS errors,
    count(DISTINCT error_events.run_id) AS runs,
    count(*) FILTER (error_events.transient) AS transient,
    max(chosen.started_at) AS last_seen
FROM error_events
JOIN chosen ON chosen.run_id = error_events.run_id
GROUP BY code, named_by
ORDER BY errors DESC, code, named_by
LIMIT $limit
