-- An item and a stage at which steps lost it: the owner's worklist, the most often lost first. Counted is a loss at the
-- stage where the step's failure lives; background and what lies below it is not. `steps` are those that had the item in
-- the set it was lost from, where the difference could be evaluated; the share has a Wilson 95 % interval (z = 1.959964).
WITH
-- include _steps.sql
,
losses AS (
    SELECT
        lost.stage_no,
        lost.item_id,
        lost.run_id,
        lost.step_id,
        max(lost.revision) AS revision,
        max(lost.current_revision) AS current_revision,
        coalesce(bool_or(lost.required), false) AS is_required,
        any_value(steps.workload) AS workload,
        any_value(steps.occurred_at) AS occurred_at,
        any_value(coalesce(list_min(steps.not_evaluable) > steps.stage_no, true)) AS is_proven
    FROM lost
    JOIN steps
        ON steps.run_id = lost.run_id AND steps.step_id = lost.step_id AND steps.stage_no = lost.stage_no
    WHERE (lost.stage_no IN (1, 5) OR lost.required IS NOT FALSE)
      AND ($stage IS NULL OR lost.stage_no = $stage)
    GROUP BY lost.stage_no, lost.item_id, lost.run_id, lost.step_id
),
counted AS (
    SELECT
        stage_no,
        item_id,
        count(*) AS lost,
        count(*) FILTER (is_proven) AS proven,
        count(*) FILTER (is_required) AS required,
        count(DISTINCT run_id) AS runs,
        list_sort(list(DISTINCT workload)) AS workloads,
        min(occurred_at) AS first_lost,
        max(occurred_at) AS last_lost,
        max(revision) AS revision,
        max(current_revision) AS current_revision,
        count(*) OVER () AS matching
    FROM losses
    GROUP BY stage_no, item_id
    ORDER BY lost DESC, stage_no, item_id
    LIMIT $limit OFFSET $offset
),
latest AS (
    SELECT
        losses.stage_no,
        losses.item_id,
        losses.run_id,
        losses.step_id
    FROM losses
    SEMI JOIN counted ON counted.stage_no = losses.stage_no AND counted.item_id = losses.item_id
    QUALIFY row_number() OVER (
        PARTITION BY losses.stage_no, losses.item_id
        ORDER BY losses.occurred_at DESC NULLS LAST, losses.run_id DESC, losses.step_id DESC
    ) = 1
),
kept_in AS (
    SELECT
        counted.stage_no,
        counted.item_id,
        context_stages.minuend AS set_name
    FROM counted
    JOIN context_stages ON context_stages.stage_no = counted.stage_no
),
held_at AS (
    SELECT
        kept_in.stage_no,
        kept_in.item_id,
        context_items.run_id,
        context_items.step_id
    FROM context_items
    JOIN kept_in ON kept_in.item_id = context_items.item_id AND kept_in.set_name = context_items.set_name
    WHERE context_items.superseded IS NULL
      AND NOT ($run IS NULL AND $since IS NULL AND $until IS NULL AND $required IS NULL)
    GROUP BY kept_in.stage_no, kept_in.item_id, context_items.run_id, context_items.step_id
),
had AS (
    -- Of all runs, of a workload or source: as it was counted when they were loaded.
    SELECT
        stage_no,
        item_id,
        CAST(sum(steps) AS BIGINT) AS steps
    FROM context_held
    WHERE $run IS NULL AND $since IS NULL AND $until IS NULL AND $required IS NULL
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
    GROUP BY stage_no, item_id
    UNION ALL
    SELECT
        held_at.stage_no,
        held_at.item_id,
        count(*) AS steps
    FROM held_at
    JOIN steps
        ON steps.run_id = held_at.run_id
       AND steps.step_id = held_at.step_id
       AND NOT list_contains(steps.not_evaluable, held_at.stage_no)
    GROUP BY held_at.stage_no, held_at.item_id
),
needing AS (
    SELECT
        item_id,
        count(*) AS steps
    FROM needed
    WHERE has_retrieved
    GROUP BY item_id
),
shared AS (
    SELECT
        counted.stage_no,
        counted.item_id,
        counted.lost,
        coalesce(had.steps, 0) + if(counted.stage_no = 1, coalesce(needing.steps, 0), 0) AS steps,
        counted.proven,
        counted.required,
        counted.runs,
        counted.workloads,
        counted.first_lost,
        counted.last_lost,
        latest.run_id AS example_run,
        latest.step_id AS example_step,
        counted.revision,
        counted.current_revision,
        counted.matching
    FROM counted
    JOIN latest ON latest.stage_no = counted.stage_no AND latest.item_id = counted.item_id
    LEFT JOIN had ON had.stage_no = counted.stage_no AND had.item_id = counted.item_id
    LEFT JOIN needing ON needing.item_id = counted.item_id
),
estimated AS (
    SELECT
        stage_no,
        item_id,
        lost / steps AS rate,
        1.959964 * 1.959964 / steps AS z2n
    FROM shared
)
SELECT
    shared.stage_no,
    context_stages.stage,
    context_stages.owner,
    shared.item_id,
    shared.lost,
    shared.steps,
    CAST(rate AS DOUBLE) AS rate,
    CAST(least(rate, greatest(0, (rate + z2n / 2 - sqrt(z2n * (rate * (1 - rate) + z2n / 4))) / (1 + z2n))) AS DOUBLE) AS rate_low,
    CAST(greatest(rate, least(1, (rate + z2n / 2 + sqrt(z2n * (rate * (1 - rate) + z2n / 4))) / (1 + z2n))) AS DOUBLE) AS rate_high,
    shared.proven,
    shared.required,
    shared.runs,
    shared.workloads,
    shared.first_lost,
    shared.last_lost,
    shared.example_run,
    shared.example_step,
    shared.revision,
    shared.current_revision,
    shared.matching
FROM shared
JOIN estimated ON estimated.stage_no = shared.stage_no AND estimated.item_id = shared.item_id
JOIN context_stages ON context_stages.stage_no = shared.stage_no
ORDER BY shared.lost DESC, shared.stage_no, shared.item_id
