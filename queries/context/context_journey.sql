-- An item at a step of one run: the furthest of the sets it reached, and where it was lost. Items that were lost at some
-- step, or asked for with $item, are followed through every step with context sets, in the order of the run.
WITH
-- include _steps.sql
,
followed AS (
    SELECT
        lost.run_id,
        lost.item_id,
        count(*) FILTER (lost.stage_no IN (1, 5) OR lost.required IS NOT FALSE) AS times_lost,
        bool_or(coalesce(lost.required, false)) AS is_required
    FROM lost
    WHERE $item IS NULL OR lost.item_id = $item
    GROUP BY lost.run_id, lost.item_id
    UNION ALL
    SELECT DISTINCT
        context_items.run_id,
        context_items.item_id,
        0 AS times_lost,
        false AS is_required
    FROM context_items
    JOIN chosen ON chosen.run_id = context_items.run_id
    WHERE context_items.item_id = $item
      AND NOT EXISTS (SELECT 1 FROM lost WHERE lost.item_id = $item AND lost.run_id = context_items.run_id)
),
shown AS (
    SELECT
        run_id,
        item_id,
        times_lost,
        is_required,
        count(*) OVER () AS matching
    FROM followed
    ORDER BY times_lost DESC, is_required DESC, item_id
    LIMIT $limit
),
held_in AS (
    SELECT
        context_items.run_id,
        context_items.step_id,
        context_items.item_id,
        list_sort(list(DISTINCT context_items.set_name)) AS sets,
        max(context_items.revision) FILTER (context_items.set_name = 'consumed') AS consumed_revision,
        max(context_items.revision) FILTER (context_items.set_name = 'current') AS current_revision
    FROM context_items
    WHERE context_items.superseded IS NULL
      AND context_items.run_id IN (SELECT shown.run_id FROM shown)
      AND context_items.item_id IN (SELECT shown.item_id FROM shown)
    GROUP BY context_items.run_id, context_items.step_id, context_items.item_id
),
first_lost AS (
    SELECT
        run_id,
        step_id,
        item_id,
        min(stage_no) AS stage_no,
        arg_min(coalesce(stage_no IN (2, 3, 4) AND NOT required, false), stage_no) AS is_background
    FROM lost
    GROUP BY run_id, step_id, item_id
)
SELECT
    shown.run_id,
    shown.item_id,
    steps.step_id,
    steps.seq,
    steps.agent,
    coalesce(held_in.sets, []) AS sets,
    first_lost.stage_no AS lost_at,
    context_stages.stage AS lost_stage,
    coalesce(first_lost.is_background, false) AS is_background,
    coalesce(list_contains(held_in.sets, 'required'), false) OR needed.item_id IS NOT NULL AS is_required,
    held_in.consumed_revision,
    held_in.current_revision,
    shown.times_lost,
    shown.matching
FROM shown
JOIN steps ON steps.run_id = shown.run_id
LEFT JOIN held_in
    ON held_in.run_id = shown.run_id AND held_in.step_id = steps.step_id AND held_in.item_id = shown.item_id
LEFT JOIN first_lost
    ON first_lost.run_id = shown.run_id AND first_lost.step_id = steps.step_id AND first_lost.item_id = shown.item_id
LEFT JOIN needed
    ON needed.run_id = shown.run_id AND needed.step_id = steps.step_id AND needed.item_id = shown.item_id
LEFT JOIN context_stages ON context_stages.stage_no = first_lost.stage_no
ORDER BY shown.times_lost DESC, shown.run_id, shown.item_id, steps.seq NULLS LAST, steps.step_id
