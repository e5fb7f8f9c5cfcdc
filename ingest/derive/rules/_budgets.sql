-- The retry budgets that runs record of themselves.
CREATE OR REPLACE TEMP TABLE recorded_budgets AS
SELECT run_id, TRY_CAST(json_extract_string(attributes, '$.retry_budget.per_failure') AS BIGINT) AS per_failure,
       TRY_CAST(coalesce(json_extract_string(attributes, '$.retry_budget.per_run'),
                         json_extract_string(attributes, '$.retry_budget')) AS BIGINT) AS per_run
FROM runs WHERE json_extract_string(attributes, '$.retry_budget') IS NOT NULL;
