-- A rule that met a record of one run which lacks what the rule needs: not evaluable, not passed.
WITH
-- include ../_one_run.sql
,
opened AS (
    SELECT
        run_id,
        unnest(not_evaluable) AS rule,
        evaluated
    FROM rule_verdicts
    WHERE run_id IN (SELECT run_id FROM chosen)
)
SELECT
    run_id,
    rule,
    coalesce(list_contains(evaluated, rule), false) AS judged_others
FROM opened
ORDER BY run_id, rule
