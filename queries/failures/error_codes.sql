-- Errors by their code, the most frequent first. `named_by` says which column the code is from: the machine code, the
-- agent's error code, else the type.
-- Whole days are read from the sums by day, any other window from the errors themselves.
-- portable
WITH chosen AS (
    SELECT
        run_id,
        started_at
    FROM runs
    WHERE NOT (coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
               AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
counted AS (
    SELECT
        value AS code,
        detail AS named_by,
        errors,
        runs,
        marked AS transient,
        last_at
    FROM error_days
    WHERE axis = 'code'
      AND coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR day >= CAST(CAST($since AS TIMESTAMPTZ) AS DATE))
      AND ($until IS NULL OR day < CAST(CAST($until AS TIMESTAMPTZ) AS DATE))
    UNION ALL
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
        max(chosen.started_at) AS last_at
    FROM error_events
    JOIN chosen ON chosen.run_id = error_events.run_id
    GROUP BY code, named_by
)
SELECT
    code,
    named_by,
    CAST(sum(errors) AS BIGINT) AS errors,
    CAST(sum(runs) AS BIGINT) AS runs,
    CAST(sum(transient) AS BIGINT) AS transient,
    max(last_at) AS last_seen,
    count(*) OVER () AS matching
FROM counted
GROUP BY code, named_by
ORDER BY errors DESC, code, named_by
LIMIT $limit
