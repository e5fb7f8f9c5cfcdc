-- The workloads and sources that runs name, with how many runs name each.
-- portable
SELECT 'workload' AS filter, workload AS value, count(*) AS runs
FROM runs
WHERE workload IS NOT NULL
GROUP BY workload
UNION ALL
SELECT 'source' AS filter, source AS value, count(*) AS runs
FROM runs
WHERE source IS NOT NULL
GROUP BY source
ORDER BY filter, value
