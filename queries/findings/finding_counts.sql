-- Findings of one day, workload and severity. The day is the one on which the run started; NULL where it has no time.
SELECT
    CAST(date_trunc('day', CASE WHEN runs.clock <> 'none' THEN runs.started_at END) AS DATE) AS day,
    coalesce(runs.workload, 'default') AS workload,
    findings.severity,
    count(*) AS findings,
    count(DISTINCT findings.run_id) AS runs
FROM findings
JOIN runs ON runs.run_id = findings.run_id
WHERE ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR started_at >= $since)
  AND ($until IS NULL OR started_at < $until)
  AND ($rule IS NULL OR findings.rule = $rule)
GROUP BY ALL
ORDER BY day NULLS LAST, workload, severity
