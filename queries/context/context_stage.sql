-- A step with context sets and the first difference of its sets that is not empty: there its failure lives, and what is
-- below is not yet meaningful. `proven` where everything above was evaluable; none is proven only if all five were.
-- portable
WITH
-- include _steps.sql
SELECT
    steps.run_id,
    steps.step_id,
    steps.stage_no,
    steps.literal_stage_no,
    context_stages.stage,
    context_stages.owner,
    steps.lost,
    steps.lost_background,
    coalesce(list_min(steps.not_evaluable) > coalesce(steps.stage_no, 5), true) AS proven,
    steps.not_evaluable,
    steps.required_basis,
    steps.required_rule,
    steps.sets,
    steps.derived_sets,
    steps.compared_by_id,
    steps.native_id,
    steps.run_name,
    steps.workload,
    steps.agent,
    steps.phase,
    steps.seq,
    steps.occurred_at,
    count(*) OVER () AS matching
FROM steps
LEFT JOIN context_stages ON context_stages.stage_no = steps.stage_no
WHERE ($step IS NULL OR steps.step_id = $step)
  AND ($stage IS NULL OR steps.stage_no = $stage)
  AND (NOT $located OR steps.stage_no IS NOT NULL)
ORDER BY steps.started_at DESC NULLS LAST, steps.run_id, steps.seq NULLS LAST, steps.step_id
LIMIT $limit OFFSET $offset
