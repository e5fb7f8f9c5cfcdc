-- What the conformance rules could judge and found, by the UTC day on which the run started, workload and source. A row without
-- a rule counts runs: those with a finding of its severity, and without a severity those that were judged at all.
-- keys: rule, day, has_clock, workload, source, severity
-- sums: evaluated, not_evaluable, findings, runs
WITH judged AS (
    SELECT
        CAST(runs.started_at AS DATE) AS day,
        runs.clock <> 'none' AS has_clock,
        coalesce(runs.workload, 'default') AS workload,
        runs.source,
        runs.run_id
    FROM records.runs
    WHERE runs.run_id IN (SELECT run_id FROM chosen)
),
verdicts AS (
    SELECT rule_verdicts.run_id, rule_verdicts.evaluated, rule_verdicts.not_evaluable
    FROM records.rule_verdicts
    WHERE rule_verdicts.run_id IN (SELECT run_id FROM chosen)
),
found AS (
    SELECT findings.run_id, findings.rule, findings.severity
    FROM records.findings
    WHERE findings.run_id IN (SELECT run_id FROM chosen)
),
counted AS (
    SELECT run_id, unnest(evaluated) AS rule, NULL AS severity, 1 AS evaluated, 0 AS not_evaluable, 0 AS findings, 0 AS runs
    FROM verdicts
    UNION ALL
    SELECT run_id, unnest(not_evaluable), NULL, 0, 1, 0, 0 FROM verdicts
    UNION ALL
    SELECT run_id, rule, severity, 0, 0, count(*), 1 FROM found GROUP BY run_id, rule, severity
    UNION ALL
    SELECT run_id, NULL, severity, 0, 0, 0, 1 FROM found GROUP BY run_id, severity
    UNION ALL
    SELECT run_id, NULL, NULL, 0, 0, 0, 1 FROM verdicts
)
SELECT day, has_clock, workload, source, rule, severity, sum(evaluated) AS evaluated, sum(not_evaluable) AS not_evaluable,
       sum(findings) AS findings, sum(runs) AS runs
FROM counted
JOIN judged ON judged.run_id = counted.run_id
GROUP BY day, has_clock, workload, source, rule, severity
