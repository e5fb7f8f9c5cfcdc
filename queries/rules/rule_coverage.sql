-- A conformance rule and how far it could look: runs in which it judged something, runs with a record that lacks what it
-- needs, runs where it met nothing to judge, and what it found. A run may be evaluated and not evaluable at once.
-- Whole days are read from the sums by day, any other window from the verdicts themselves.
-- portable
WITH chosen AS (
    SELECT run_id
    FROM runs
    WHERE NOT (coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
               AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true))
      AND ($workload IS NULL OR workload = $workload)
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
entries AS (
    SELECT unnest(evaluated) AS rule, true AS is_evaluated FROM verdicts
    UNION ALL
    SELECT unnest(not_evaluable) AS rule, false AS is_evaluated FROM verdicts
),
parts AS (
    SELECT
        rule,
        evaluated,
        not_evaluable,
        findings,
        runs
    FROM rule_days
    WHERE (rule IS NOT NULL OR severity IS NULL)
      AND coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR day >= CAST(CAST($since AS TIMESTAMPTZ) AS DATE))
      AND ($until IS NULL OR day < CAST(CAST($until AS TIMESTAMPTZ) AS DATE))
    UNION ALL
    SELECT
        rule,
        count(*) FILTER (is_evaluated) AS evaluated,
        count(*) FILTER (NOT is_evaluated) AS not_evaluable,
        0 AS findings,
        0 AS runs
    FROM entries
    GROUP BY rule
    UNION ALL
    SELECT
        findings.rule,
        0 AS evaluated,
        0 AS not_evaluable,
        count(*) AS findings,
        count(DISTINCT findings.run_id) AS runs
    FROM findings
    JOIN chosen ON chosen.run_id = findings.run_id
    GROUP BY findings.rule
    UNION ALL
    SELECT
        CAST(NULL AS VARCHAR) AS rule,
        0 AS evaluated,
        0 AS not_evaluable,
        0 AS findings,
        count(*) AS runs
    FROM verdicts
),
counted AS (
    SELECT
        rule,
        CAST(sum(evaluated) AS BIGINT) AS evaluated,
        CAST(sum(not_evaluable) AS BIGINT) AS lacking,
        CAST(sum(findings) AS BIGINT) AS findings,
        CAST(sum(runs) AS BIGINT) AS runs
    FROM parts
    GROUP BY rule
),
looked AS (
    SELECT coalesce(max(runs), 0) AS runs FROM counted WHERE rule IS NULL
)
SELECT
    conformance_rules.rule,
    conformance_rules.severity,
    coalesce(counted.evaluated, 0) AS evaluated_runs,
    coalesce(counted.lacking, 0) AS not_evaluable_runs,
    coalesce(counted.findings, 0) AS findings,
    coalesce(counted.runs, 0) AS runs_with_findings,
    looked.runs AS runs,
    conformance_rules.statement,
    conformance_rules.needs,
    conformance_rules.advice
FROM conformance_rules
CROSS JOIN looked
LEFT JOIN counted ON counted.rule = conformance_rules.rule
ORDER BY
    CASE conformance_rules.severity WHEN 'critical' THEN 1 WHEN 'error' THEN 2 WHEN 'warning' THEN 3 ELSE 4 END,
    findings DESC,
    conformance_rules.rule
