-- What the rules found, the worst and newest first; within a run in the order of its records.
-- portable
WITH
-- include ../_chosen.sql
,
-- Counted apart: a window over everything that passes would keep all of its texts in hand.
counted AS (
    SELECT count(*) AS matching
    FROM findings
    JOIN chosen ON chosen.run_id = findings.run_id
    WHERE ($rule IS NULL OR findings.rule = $rule)
      AND ($severity IS NULL OR findings.severity = $severity)
)
SELECT
    findings.rule,
    findings.severity,
    findings.run_id,
    findings.event_id,
    findings.message,
    CAST(findings.evidence AS VARCHAR) AS evidence,
    findings.seq,
    chosen.workload,
    coalesce(chosen.name, chosen.native_id) AS run_name,
    chosen.status,
    chosen.started_at,
    conformance_rules.advice,
    counted.matching
FROM findings
JOIN chosen ON chosen.run_id = findings.run_id
CROSS JOIN counted
LEFT JOIN conformance_rules ON conformance_rules.rule = findings.rule
WHERE ($rule IS NULL OR findings.rule = $rule)
  AND ($severity IS NULL OR findings.severity = $severity)
ORDER BY
    CASE findings.severity WHEN 'critical' THEN 1 WHEN 'error' THEN 2 WHEN 'warning' THEN 3 ELSE 4 END,
    chosen.started_at DESC NULLS LAST,
    findings.run_id,
    findings.seq NULLS FIRST,
    findings.rule,
    findings.event_id,
    findings.message
LIMIT $limit OFFSET $offset
