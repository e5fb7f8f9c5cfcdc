-- The share of steps whose context failed at a stage, over all steps and by workload, agent and day, with its Wilson 95 %
-- interval (z = 1.959964). A step counts for a stage where that stage's difference could be evaluated: what nobody recorded
-- is in no share. `proven` are the steps found there with everything above evaluable. A day is that of the step, in UTC.
-- portable
WITH
-- include _steps.sql
,
alike AS (
    -- Of each dimension for itself: steps that are alike in all three are few, in one they are many.
    SELECT
        CASE
            WHEN grouping(workload) = 0 THEN 'workload'
            WHEN grouping(agent) = 0 THEN 'agent'
            WHEN grouping(day) = 0 THEN 'day'
            ELSE 'all'
        END AS dimension,
        nullif(coalesce(workload, agent, strftime(day, '%Y-%m-%d')), '') AS value,
        stage_no,
        not_evaluable,
        coalesce(list_min(not_evaluable) > stage_no, true) AS is_proven,
        count(*) AS steps,
        sum(lost) AS lost
    FROM (
        SELECT
            workload,
            coalesce(agent, '') AS agent,
            CAST(occurred_at AS DATE) AS day,
            stage_no,
            not_evaluable,
            lost
        FROM steps
    ) AS steps
    GROUP BY GROUPING SETS (
        (stage_no, not_evaluable),
        (workload, stage_no, not_evaluable),
        (agent, stage_no, not_evaluable),
        (day, stage_no, not_evaluable)
    )
),
counted AS (
    SELECT
        alike.dimension,
        alike.value,
        context_stages.stage_no,
        CAST(sum(alike.steps) AS BIGINT) AS steps,
        CAST(sum(if(alike.stage_no = context_stages.stage_no, alike.steps, 0)) AS BIGINT) AS found,
        CAST(sum(if(alike.stage_no = context_stages.stage_no AND alike.is_proven, alike.steps, 0)) AS BIGINT) AS proven,
        CAST(coalesce(sum(if(alike.stage_no = context_stages.stage_no, alike.lost, 0)), 0) AS BIGINT) AS lost
    FROM alike
    CROSS JOIN context_stages
    WHERE NOT list_contains(alike.not_evaluable, context_stages.stage_no)
    GROUP BY alike.dimension, alike.value, context_stages.stage_no
),
shared AS (
    SELECT
        dimension,
        value,
        stage_no,
        steps,
        found,
        proven,
        lost,
        found / steps AS rate,
        1.959964e0 * 1.959964e0 / steps AS z2n
    FROM counted
)
SELECT
    shared.dimension,
    shared.value,
    shared.stage_no,
    context_stages.stage,
    context_stages.owner,
    shared.steps,
    shared.found,
    shared.proven,
    shared.lost,
    CAST(rate AS DOUBLE) AS rate,
    CAST(least(rate, greatest(0, (rate + z2n / 2 - sqrt(z2n * (rate * (1 - rate) + z2n / 4))) / (1 + z2n))) AS DOUBLE) AS rate_low,
    CAST(greatest(rate, least(1, (rate + z2n / 2 + sqrt(z2n * (rate * (1 - rate) + z2n / 4))) / (1 + z2n))) AS DOUBLE) AS rate_high
FROM shared
JOIN context_stages ON context_stages.stage_no = shared.stage_no
ORDER BY shared.dimension, shared.value NULLS LAST, shared.stage_no
