-- What a time filter leaves out of the runs.
SELECT 'undated' AS reason, count(*) AS rows
FROM runs
WHERE started_at IS NULL
  AND ($since IS NOT NULL OR $until IS NOT NULL)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
