-- A rule that met a record of one run which lacks what the rule needs: not evaluable, not passed.
WITH chosen AS (
    SELECT
        run_id
    FROM runs
    WHERE run_id = $run
       OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run))
),
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
