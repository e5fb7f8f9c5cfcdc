-- Every retry of the chosen runs with its verdict, by the budgets that are asked for.
judged AS (
    SELECT
        retry_facts.run_id,
        retry_facts.of_event,
        retry_facts.seq,
        CASE
            WHEN retry_facts.tool_error_class = 'policy_denial' THEN 'after denial'
            WHEN retry_facts.tool_error_class = 'unknown_outcome' AND retry_facts.checked_state IS NULL
                THEN 'before the state was checked'
            WHEN retry_facts.agent_error_code IN ('FATAL', 'SECURITY') THEN 'wrong class'
            WHEN retry_facts.is_bare AND NOT retry_facts.is_transient
                 AND (retry_facts.tool_error_class IS NOT NULL OR retry_facts.agent_error_code = 'VALIDATION_ERROR')
                THEN 'wrong class'
            WHEN retry_facts.is_bare AND NOT retry_facts.is_transient THEN 'unchanged'
            WHEN retry_facts.uses_budget
                 AND (retry_facts.used_in_step > CAST($per_failure AS BIGINT) OR retry_facts.used_in_run > CAST($per_run AS BIGINT))
                THEN 'over budget'
            WHEN retry_facts.is_bare IS NULL THEN 'not recorded'
            ELSE 'legitimate'
        END AS verdict
    FROM retry_facts
    WHERE retry_facts.run_id IN (SELECT run_id FROM chosen)
)
