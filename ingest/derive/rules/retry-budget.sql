-- rule: retry-budget
-- severity: error
-- statement: More than 3 retries of one step (bare transport ones and changed ones), or the run's total over its budget. Identical repeats go to the breaker.
-- needs: retries that record whether anything was changed; the run's own budget, else [retry] of faultlens.toml
-- advice: The budget belongs to the run, not to each agent: stop at its end and escalate, or find what multiplies the retries.
-- when: retries
WITH counted AS (
    SELECT run_id, step, event_id AS retry_id, seq AS retry_seq,
           CASE WHEN is_bare IS NULL THEN NULL ELSE NOT is_bare OR is_transient END AS counts
    FROM retries
),
totals AS (
    SELECT run_id, step, count(*) FILTER (counts) AS retries, count(*) FILTER (counts IS NULL) AS unknown,
           arg_max(retry_id, retry_seq) AS event_id,
           coalesce(any_value(b.per_failure), any_value(retry_budget.per_failure)) AS budget, step IS NULL AS is_of_no_step
    FROM counted CROSS JOIN retry_budget LEFT JOIN recorded_budgets b USING (run_id) GROUP BY run_id, step
    UNION ALL
    SELECT run_id, NULL, count(*) FILTER (counts), count(*) FILTER (counts IS NULL), NULL,
           coalesce(any_value(b.per_run), any_value(retry_budget.per_run)), false
    FROM counted CROSS JOIN retry_budget LEFT JOIN recorded_budgets b USING (run_id) GROUP BY run_id
)
SELECT run_id, event_id,
       CASE WHEN retries > budget AND NOT is_of_no_step THEN true WHEN retries + unknown > budget THEN NULL ELSE false END AS violated,
       retries || ' retries ' || coalesce('of ' || step, 'in this run') || ', the budget is ' || budget AS message,
       json_object('step', step, 'retries', retries, 'budget', budget, 'not_recorded_whether_changed', unknown) AS evidence
FROM totals
