-- Errors that carry no class on any axis, the contract class unclassified, or a value outside its list.
-- An error may stand under more than one heading: each says another thing of it.
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
errors AS (
    SELECT
        error_events.run_id,
        coalesce(error_events.type, error_events.error_code, error_events.agent_error_code) AS type,
        error_events.contract_class,
        error_events.failure_class,
        error_events.tool_error_class,
        error_events.context_failure_class,
        error_events.agent_error_code,
        error_events.level,
        list_contains(error_events.flags, 'unknown_value') AS outside
    FROM error_events
    JOIN chosen ON chosen.run_id = error_events.run_id
),
found AS (
    SELECT
        'no class on any axis' AS missing,
        type,
        CAST(NULL AS VARCHAR) AS value,
        run_id
    FROM errors
    WHERE contract_class IS NULL
      AND failure_class IS NULL
      AND tool_error_class IS NULL
      AND context_failure_class IS NULL
      AND agent_error_code IS NULL
    UNION ALL
    SELECT
        'contract class unclassified' AS missing,
        type,
        contract_class AS value,
        run_id
    FROM errors
    WHERE contract_class = 'unclassified'
    UNION ALL
    SELECT
        'a value outside its list' AS missing,
        type,
        concat_ws(
            ' · ', failure_class, contract_class, tool_error_class, context_failure_class, agent_error_code, level
        ) AS value,
        run_id
    FROM errors
    WHERE outside
),
counted AS (
    SELECT
        axis AS missing,
        value AS type,
        detail AS value,
        errors,
        runs
    FROM error_days
    WHERE axis IN ('no class on any axis', 'contract class unclassified', 'a value outside its list')
      AND coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR day >= CAST(CAST($since AS TIMESTAMPTZ) AS DATE))
      AND ($until IS NULL OR day < CAST(CAST($until AS TIMESTAMPTZ) AS DATE))
    UNION ALL
    SELECT
        missing,
        type,
        value,
        count(*) AS errors,
        count(DISTINCT run_id) AS runs
    FROM found
    GROUP BY missing, type, value
)
SELECT
    missing,
    type,
    value,
    CAST(sum(errors) AS BIGINT) AS errors,
    CAST(sum(runs) AS BIGINT) AS runs
FROM counted
GROUP BY missing, type, value
ORDER BY missing, errors DESC, type, value
