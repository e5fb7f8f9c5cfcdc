-- Steps that had an item in the set from which a difference takes away, where that difference could be evaluated: what a share
-- of losses is a share of.
-- keys: workload, source, stage_no, item_id
-- sums: steps
WITH held AS (
    SELECT DISTINCT context_items.run_id, context_items.step_id, context_items.set_name, context_items.item_id
    FROM records.context_items
    WHERE context_items.superseded IS NULL AND context_items.run_id IN (SELECT run_id FROM chosen)
)
SELECT coalesce(runs.workload, 'default') AS workload, runs.source, context_stages.stage_no, held.item_id, count(*) AS steps
FROM held
JOIN records.context_stages ON context_stages.minuend = held.set_name
JOIN records.context_steps
    ON context_steps.run_id = held.run_id AND context_steps.step_id = held.step_id
   AND NOT list_contains(context_steps.not_evaluable, context_stages.stage_no)
JOIN records.runs ON runs.run_id = held.run_id
GROUP BY coalesce(runs.workload, 'default'), runs.source, context_stages.stage_no, held.item_id
