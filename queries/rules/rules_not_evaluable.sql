-- A run in which a rule met a record that lacks what it needs. Newest first.
WITH
-- include ../_chosen_in_time.sql
SELECT
    $rule AS rule,
    chosen.run_id,
    coalesce(chosen.name, chosen.native_id) AS run_name,
    chosen.workload,
    chosen.source,
    chosen.started_at,
    list_contains(rule_verdicts.evaluated, $rule) AS evaluated_too,
    count(*) OVER () AS matching
FROM rule_verdicts
JOIN chosen ON chosen.run_id = rule_verdicts.run_id
WHERE list_contains(rule_verdicts.not_evaluable, $rule)
ORDER BY chosen.started_at DESC NULLS LAST, chosen.run_id
LIMIT $limit OFFSET $offset
