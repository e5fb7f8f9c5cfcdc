-- What no rule has judged, and what a time filter leaves out because its run has no time.
SELECT
    'findings of undated runs' AS reason,
    count(*) AS rows
FROM findings
JOIN runs ON runs.run_id = findings.run_id
WHERE started_at IS NULL
  AND ($since IS NOT NULL OR $until IS NOT NULL)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
UNION ALL
SELECT
    'runs loaded before there were rules: ingest their files again' AS reason,
    count(*) AS rows
FROM runs
WHERE run_id NOT IN (SELECT run_id FROM rule_verdicts)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
