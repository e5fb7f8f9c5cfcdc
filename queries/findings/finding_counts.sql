-- Findings of one day, workload and severity. The day is the one on which the run started; NULL where it has no time.
-- Whole days are read from the sums by day, any other window from the findings themselves.
-- portable
WITH counted AS (
    SELECT
        CASE WHEN has_clock THEN day END AS day,
        workload,
        severity,
        CASE WHEN rule IS NOT NULL THEN findings ELSE 0 END AS findings,
        CASE WHEN ($rule IS NULL) = (rule IS NULL) THEN runs ELSE 0 END AS runs
    FROM rule_days
    WHERE severity IS NOT NULL
      AND ($rule IS NULL OR rule = $rule)
      AND coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR day >= CAST(CAST($since AS TIMESTAMPTZ) AS DATE))
      AND ($until IS NULL OR day < CAST(CAST($until AS TIMESTAMPTZ) AS DATE))
    UNION ALL
    SELECT
        CAST(date_trunc('day', CASE WHEN runs.clock <> 'none' THEN runs.started_at END) AS DATE) AS day,
        coalesce(runs.workload, 'default') AS workload,
        findings.severity,
        count(*) AS findings,
        count(DISTINCT findings.run_id) AS runs
    FROM findings
    JOIN runs ON runs.run_id = findings.run_id
    WHERE NOT (coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
               AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
      AND ($rule IS NULL OR findings.rule = $rule)
    GROUP BY
        CAST(date_trunc('day', CASE WHEN runs.clock <> 'none' THEN runs.started_at END) AS DATE),
        coalesce(runs.workload, 'default'),
        findings.severity
)
SELECT
    day,
    workload,
    severity,
    CAST(sum(findings) AS BIGINT) AS findings,
    CAST(sum(runs) AS BIGINT) AS runs
FROM counted
GROUP BY day, workload, severity
ORDER BY day NULLS LAST, workload, severity
