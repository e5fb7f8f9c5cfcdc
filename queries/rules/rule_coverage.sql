-- A conformance rule and how far it could look: runs in which it judged something, runs with a record that lacks what it
-- needs, runs where it met nothing to judge, and what it found. A run may be evaluated and not evaluable at once.
WITH chosen AS (
    SELECT
        run_id,
        native_id,
        name,
        coalesce(workload, 'default') AS workload,
        source,
        status,
        started_at,
        clock
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
verdicts AS (
    SELECT
        rule_verdicts.run_id,
        rule_verdicts.evaluated,
        rule_verdicts.not_evaluable
    FROM rule_verdicts
    JOIN chosen ON chosen.run_id = rule_verdicts.run_id
),
judged AS (
    SELECT
        rule,
        count(*) FILTER (is_evaluated) AS evaluated,
        count(*) FILTER (NOT is_evaluated) AS lacking
    FROM (
        SELECT unnest(evaluated) AS rule, true AS is_evaluated FROM verdicts
        UNION ALL
        SELECT unnest(not_evaluable) AS rule, false AS is_evaluated FROM verdicts
    ) AS entries
    GROUP BY rule
),
found AS (
    SELECT
        findings.rule,
        count(*) AS findings,
        count(DISTINCT findings.run_id) AS runs
    FROM findings
    JOIN chosen ON chosen.run_id = findings.run_id
    GROUP BY findings.rule
),
looked AS (
    SELECT count(*) AS runs FROM verdicts
)
SELECT
    conformance_rules.rule,
    conformance_rules.severity,
    coalesce(judged.evaluated, 0) AS evaluated_runs,
    coalesce(judged.lacking, 0) AS not_evaluable_runs,
    coalesce(found.findings, 0) AS findings,
    coalesce(found.runs, 0) AS runs_with_findings,
    looked.runs AS runs,
    conformance_rules.statement,
    conformance_rules.needs,
    conformance_rules.advice
FROM conformance_rules
CROSS JOIN looked
LEFT JOIN judged ON judged.rule = conformance_rules.rule
LEFT JOIN found ON found.rule = conformance_rules.rule
ORDER BY
    CASE conformance_rules.severity WHEN 'critical' THEN 1 WHEN 'error' THEN 2 WHEN 'warning' THEN 3 ELSE 4 END,
    findings DESC,
    conformance_rules.rule
