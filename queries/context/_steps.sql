-- The steps with context sets as they are to be read: where records name no required items, those that faultlens.toml
-- declares stand in, as $required = [[workload, step or *, item], …]; a step's own list stands before that of all steps.
-- Only steps of the workloads named there are computed anew, from their lost items; all others are read as they were loaded.
-- include ../_chosen.sql
,
declared AS (
    SELECT DISTINCT
        entry[1] AS workload,
        entry[2] AS step,
        entry[3] AS item_id
    FROM (SELECT unnest(from_json(CAST($required AS VARCHAR), '[["VARCHAR"]]')) AS entry)
),
declarations AS (
    SELECT DISTINCT
        workload,
        step
    FROM declared
),
affected AS (
    SELECT
        context_steps.run_id,
        context_steps.step_id,
        chosen.workload,
        coalesce(own.step, every.step) AS step,
        list_contains(context_steps.sets, 'retrieved') AS has_retrieved
    FROM context_steps
    JOIN chosen ON chosen.run_id = context_steps.run_id
    LEFT JOIN declarations AS own ON own.workload = chosen.workload AND own.step = context_steps.step_id
    LEFT JOIN declarations AS every ON every.workload = chosen.workload AND every.step = '*'
    WHERE coalesce(own.step, every.step) IS NOT NULL
      AND NOT list_contains(context_steps.sets, 'required')
),
needed AS (
    SELECT
        affected.run_id,
        affected.step_id,
        affected.has_retrieved,
        declared.item_id
    FROM affected
    JOIN declared ON declared.workload = affected.workload AND declared.step = affected.step
    WHERE declared.item_id IS NOT NULL
),
held AS (
    SELECT
        context_items.run_id,
        context_items.step_id,
        context_items.item_id,
        bool_or(context_items.set_name = 'retrieved') AS is_retrieved,
        max(context_items.revision) FILTER (context_items.set_name = 'current') AS current_revision
    FROM context_items
    WHERE context_items.item_id IN (SELECT needed.item_id FROM needed)
      AND context_items.run_id IN (SELECT needed.run_id FROM needed)
      AND context_items.set_name IN ('retrieved', 'current')
      AND context_items.superseded IS NULL
    GROUP BY context_items.run_id, context_items.step_id, context_items.item_id
),
lost AS (
    SELECT
        context_lost.run_id,
        context_lost.step_id,
        context_lost.stage_no,
        context_lost.item_id,
        context_lost.revision,
        context_lost.current_revision,
        CASE
            WHEN affected.run_id IS NULL THEN context_lost.required
            ELSE needed.item_id IS NOT NULL
        END AS required
    FROM context_lost
    JOIN chosen ON chosen.run_id = context_lost.run_id
    LEFT JOIN affected ON affected.run_id = context_lost.run_id AND affected.step_id = context_lost.step_id
    LEFT JOIN needed
        ON needed.run_id = context_lost.run_id
       AND needed.step_id = context_lost.step_id
       AND needed.item_id = context_lost.item_id
    UNION ALL
    SELECT
        needed.run_id,
        needed.step_id,
        1 AS stage_no,
        needed.item_id,
        CAST(NULL AS VARCHAR) AS revision,
        held.current_revision,
        true AS required
    FROM needed
    LEFT JOIN held
        ON held.run_id = needed.run_id AND held.step_id = needed.step_id AND held.item_id = needed.item_id
    WHERE needed.has_retrieved
      AND held.is_retrieved IS NOT TRUE
),
recounted AS (
    SELECT
        affected.run_id,
        affected.step_id,
        min(lost.stage_no) AS literal_stage_no,
        min(lost.stage_no) FILTER (lost.stage_no IN (1, 5) OR lost.required) AS stage_no,
        count(DISTINCT lost.item_id) FILTER (lost.stage_no IN (2, 3, 4) AND NOT lost.required) AS background
    FROM affected
    LEFT JOIN lost ON lost.run_id = affected.run_id AND lost.step_id = affected.step_id
    GROUP BY affected.run_id, affected.step_id
),
at_stage AS (
    SELECT
        recounted.run_id,
        recounted.step_id,
        min(recounted.stage_no) AS stage_no,
        min(recounted.literal_stage_no) AS literal_stage_no,
        min(recounted.background) AS background,
        count(lost.item_id) FILTER (lost.stage_no IN (1, 5) OR lost.required) AS lost,
        count(lost.item_id) FILTER (lost.stage_no IN (2, 3, 4) AND NOT lost.required) AS lost_background
    FROM recounted
    LEFT JOIN lost
        ON lost.run_id = recounted.run_id AND lost.step_id = recounted.step_id AND lost.stage_no = recounted.stage_no
    GROUP BY recounted.run_id, recounted.step_id
),
steps AS (
    -- Where nothing is declared, every step as it was loaded.
    SELECT
        context_steps.run_id,
        context_steps.step_id,
        chosen.native_id,
        chosen.name AS run_name,
        chosen.workload,
        chosen.started_at,
        CASE WHEN chosen.clock = 'wall' THEN coalesce(context_steps.occurred_at, chosen.started_at) END AS occurred_at,
        context_steps.seq,
        context_steps.agent,
        context_steps.phase,
        context_steps.sets,
        context_steps.derived_sets,
        CASE
            WHEN list_contains(context_steps.derived_sets, 'required') THEN 'derived'
            WHEN list_contains(context_steps.sets, 'required') THEN 'recorded'
        END AS required_basis,
        CAST(NULL AS VARCHAR) AS required_rule,
        context_steps.stage_no,
        context_steps.literal_stage_no,
        context_steps.not_evaluable,
        context_steps.lost,
        context_steps.lost_background,
        context_steps.compared_by_id
    FROM context_steps
    JOIN chosen ON chosen.run_id = context_steps.run_id
    WHERE $required IS NULL
    UNION ALL
    SELECT
        context_steps.run_id,
        context_steps.step_id,
        chosen.native_id,
        chosen.name AS run_name,
        chosen.workload,
        chosen.started_at,
        CASE WHEN chosen.clock = 'wall' THEN coalesce(context_steps.occurred_at, chosen.started_at) END AS occurred_at,
        context_steps.seq,
        context_steps.agent,
        context_steps.phase,
        context_steps.sets,
        context_steps.derived_sets,
        CASE
            WHEN at_stage.run_id IS NOT NULL THEN 'derived'
            WHEN list_contains(context_steps.derived_sets, 'required') THEN 'derived'
            WHEN list_contains(context_steps.sets, 'required') THEN 'recorded'
        END AS required_basis,
        CASE WHEN at_stage.run_id IS NOT NULL THEN 'faultlens.toml: required items of this workload' END AS required_rule,
        if(at_stage.run_id IS NULL, context_steps.stage_no, at_stage.stage_no) AS stage_no,
        if(at_stage.run_id IS NULL, context_steps.literal_stage_no, at_stage.literal_stage_no) AS literal_stage_no,
        if(affected.has_retrieved, list_filter(context_steps.not_evaluable, lambda k: k <> 1), context_steps.not_evaluable)
            AS not_evaluable,
        CASE
            WHEN at_stage.run_id IS NULL THEN context_steps.lost
            WHEN array_length(context_steps.not_evaluable) < 5 OR affected.has_retrieved THEN at_stage.lost
        END AS lost,
        CASE
            WHEN at_stage.run_id IS NULL THEN context_steps.lost_background
            WHEN at_stage.stage_no IS NOT NULL THEN at_stage.lost_background
            WHEN array_length(context_steps.not_evaluable) < 5 OR affected.has_retrieved THEN at_stage.background
        END AS lost_background,
        context_steps.compared_by_id
    FROM context_steps
    JOIN chosen ON chosen.run_id = context_steps.run_id
    LEFT JOIN affected ON affected.run_id = context_steps.run_id AND affected.step_id = context_steps.step_id
    LEFT JOIN at_stage ON at_stage.run_id = context_steps.run_id AND at_stage.step_id = context_steps.step_id
    WHERE $required IS NOT NULL
)
