-- A lost item of one run: every item of every evaluable difference of its steps. `is_background` is an item that was not
-- required; `at_stage` one that was lost where the step's failure lives, others are background or below it.
WITH
-- include _steps.sql
SELECT
    lost.run_id,
    lost.step_id,
    lost.stage_no,
    context_stages.stage,
    context_stages.owner,
    lost.item_id,
    lost.revision,
    lost.current_revision,
    lost.required,
    coalesce(lost.stage_no IN (2, 3, 4) AND NOT lost.required, false) AS is_background,
    coalesce(lost.stage_no = steps.stage_no AND (lost.stage_no IN (1, 5) OR lost.required IS NOT FALSE), false) AS at_stage,
    steps.required_basis,
    steps.seq
FROM lost
JOIN steps ON steps.run_id = lost.run_id AND steps.step_id = lost.step_id
JOIN context_stages ON context_stages.stage_no = lost.stage_no
WHERE $step IS NULL OR lost.step_id = $step
ORDER BY lost.run_id, steps.seq NULLS LAST, lost.step_id, lost.stage_no, lost.required DESC, lost.item_id, lost.revision
LIMIT $limit
