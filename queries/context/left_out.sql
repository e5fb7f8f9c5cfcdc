-- Steps that a time filter leaves out because their run has no time.
SELECT
    'steps with context sets of undated runs' AS reason,
    count(*) AS rows
FROM context_steps
JOIN runs ON runs.run_id = context_steps.run_id
WHERE runs.started_at IS NULL
  AND ($since IS NOT NULL OR $until IS NOT NULL)
  AND ($workload IS NULL OR runs.workload = $workload)
  AND ($source IS NULL OR runs.source = $source)
