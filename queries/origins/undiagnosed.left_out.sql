-- Runs that went wrong and that a time filter leaves out because they have no time.
SELECT 'undated runs' AS reason, count(*) AS rows
FROM runs
WHERE started_at IS NULL
  AND status IN ('failed', 'aborted', 'escalated')
  AND ($since IS NOT NULL OR $until IS NOT NULL)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
