-- A rule that met something to judge in one run: it was evaluated, or a record lacks what it needs, or both.
WITH wanted AS (
    SELECT
        rule_verdicts.run_id,
        evaluated,
        not_evaluable
    FROM rule_verdicts
    JOIN runs ON runs.run_id = rule_verdicts.run_id
    WHERE runs.run_id = $run
       OR (runs.native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run))
)
SELECT
    wanted.run_id,
    conformance_rules.rule,
    conformance_rules.severity,
    list_contains(wanted.evaluated, conformance_rules.rule) AS evaluated,
    list_contains(wanted.not_evaluable, conformance_rules.rule) AS not_evaluable,
    conformance_rules.needs
FROM wanted
CROSS JOIN conformance_rules
ORDER BY wanted.run_id, conformance_rules.rule
