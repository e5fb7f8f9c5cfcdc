-- A rule that at least one of two runs breaks, with how often in each.
WITH pair AS (
    SELECT
        run_id,
        'a' AS side
    FROM runs
    WHERE run_id = $run_a OR (native_id = $run_a AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run_a))
    UNION ALL
    SELECT
        run_id,
        'b' AS side
    FROM runs
    WHERE run_id = $run_b OR (native_id = $run_b AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run_b))
)
SELECT
    findings.rule,
    min(findings.severity) AS severity,
    count(*) FILTER (pair.side = 'a') AS in_a,
    count(*) FILTER (pair.side = 'b') AS in_b
FROM findings
JOIN pair ON pair.run_id = findings.run_id
GROUP BY findings.rule
ORDER BY findings.rule
