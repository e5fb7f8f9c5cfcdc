-- How runs ended, by workload.
-- portable
SELECT
    coalesce(workload, 'default') AS workload,
    coalesce(status, 'unknown') AS status,
    count(*) AS runs
FROM runs
WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
GROUP BY ALL
ORDER BY workload, status
