-- Errors by the UTC day on which their run started, workload and source, on each axis for itself.
-- keys: axis, day, workload, source, value, detail
-- sums: errors, runs, marked, differing
-- latest: last_at
WITH errors AS (
    SELECT
        CAST(runs.started_at AS DATE) AS day,
        coalesce(runs.workload, 'default') AS workload,
        runs.source,
        runs.started_at,
        error_events.run_id,
        error_events.error_code,
        error_events.agent_error_code,
        error_events.type,
        error_events.level,
        error_events.tool_error_class,
        error_events.context_failure_class,
        error_events.failure_class,
        error_events.contract_class,
        error_events.contract_class_basis,
        error_events.transient,
        error_events.signature,
        error_events.recoverable,
        error_events.category IS NOT NULL
            AND replace(error_events.category, '_failure', '') <> failure_profiles.category AS differs,
        coalesce(list_contains(error_events.flags, 'unknown_value'), false) AS outside
    FROM records.error_events
    JOIN records.runs ON runs.run_id = error_events.run_id
    LEFT JOIN records.failure_profiles ON failure_profiles.failure_class = error_events.failure_class
    WHERE error_events.run_id IN (SELECT run_id FROM chosen)
),
placed AS (
    SELECT day, workload, source, started_at, run_id, 'code' AS axis,
           coalesce(error_code, agent_error_code, type, 'not recorded') AS value,
           CASE WHEN error_code IS NOT NULL THEN 'error code' WHEN agent_error_code IS NOT NULL THEN 'agent error code'
                WHEN type IS NOT NULL THEN 'type' ELSE 'nothing' END AS detail,
           coalesce(transient, false) AS is_marked, false AS differs
    FROM errors
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'severity level', level, NULL, false, false
    FROM errors WHERE level IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'tool error class', tool_error_class, NULL, false, false
    FROM errors WHERE tool_error_class IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'context failure class', context_failure_class, NULL, false, false
    FROM errors WHERE context_failure_class IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'agent error code', agent_error_code, NULL, false, false
    FROM errors WHERE agent_error_code IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'failure class', failure_class, NULL,
           coalesce(recoverable, false), coalesce(differs, false)
    FROM errors WHERE failure_class IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'contract class', contract_class, NULL,
           coalesce(contract_class_basis = 'recorded', false), coalesce(contract_class_basis = 'derived', false)
    FROM errors WHERE contract_class IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'no class on any axis',
           coalesce(type, error_code, agent_error_code), NULL, false, false
    FROM errors
    WHERE contract_class IS NULL AND failure_class IS NULL AND tool_error_class IS NULL
      AND context_failure_class IS NULL AND agent_error_code IS NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'contract class unclassified',
           coalesce(type, error_code, agent_error_code), contract_class, false, false
    FROM errors WHERE contract_class = 'unclassified'
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'no signature', NULL, NULL, false, false
    FROM errors WHERE signature IS NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'a value outside its list',
           coalesce(type, error_code, agent_error_code),
           concat_ws(' · ', failure_class, contract_class, tool_error_class, context_failure_class, agent_error_code, level),
           false, false
    FROM errors WHERE outside
)
SELECT day, workload, source, axis, value, detail, count(*) AS errors, count(DISTINCT run_id) AS runs,
       count(*) FILTER (is_marked) AS marked, count(*) FILTER (differs) AS differing, max(started_at) AS last_at
FROM placed
GROUP BY day, workload, source, axis, value, detail
