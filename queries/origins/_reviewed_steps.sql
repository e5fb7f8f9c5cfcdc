-- Where the places of the reviewed failures are on the timelines of their runs.
on_timeline AS (
    SELECT
        run_id,
        seq,
        step_index,
        lower(span_id) AS step_id,
        lower(name) AS step_name,
        phase,
        agent,
        started_at AS began_at
    FROM spans
    WHERE run_id IN (SELECT run_id FROM named)
    UNION ALL
    SELECT
        run_id,
        seq,
        step_index,
        lower(event_id) AS step_id,
        lower(name) AS step_name,
        phase,
        agent,
        occurred_at AS began_at
    FROM events
    WHERE run_id IN (SELECT run_id FROM named) AND kind IN ('message', 'step_complete')
),
steps AS MATERIALIZED (
    SELECT
        on_timeline.run_id,
        on_timeline.seq,
        on_timeline.step_index,
        on_timeline.step_id,
        on_timeline.step_name,
        on_timeline.phase,
        on_timeline.agent,
        on_timeline.began_at,
        row_number() OVER (PARTITION BY on_timeline.run_id ORDER BY on_timeline.seq) AS nth
    FROM on_timeline
),
-- The step that a text names: by its number, else by its id or name, else the first step of its phase.
origin_steps AS MATERIALIZED (
    SELECT
        named.run_id,
        named.event_id,
        min(steps.nth) AS nth,
        arg_min(steps.seq, steps.nth) AS seq,
        arg_min(steps.agent, steps.nth) AS agent,
        arg_min(steps.began_at, steps.nth) AS began_at
    FROM named
    JOIN steps ON steps.run_id = named.run_id AND (
        steps.step_index = named.originated_step
        OR (named.originated_step IS NULL AND steps.step_id = named.originated_place)
        OR (named.originated_step IS NULL AND steps.step_name = named.originated_place)
        OR (named.originated_step IS NULL AND steps.step_id = lower(trim(named.originated_at)))
        OR (named.originated_step IS NULL AND steps.phase IS NOT NULL
            AND upper(replace(replace(steps.phase, ' ', '_'), '-', '_')) = named.originated_name)
    )
    GROUP BY named.run_id, named.event_id
),
observed_steps AS MATERIALIZED (
    SELECT
        named.run_id,
        named.event_id,
        max(steps.nth) FILTER (steps.seq <= named.error_seq) AS nth_before_error,
        min(steps.nth) FILTER (steps.step_index = named.observed_step) AS nth_named,
        arg_min(steps.began_at, steps.nth) FILTER (steps.step_index = named.observed_step) AS began_at
    FROM named
    JOIN steps ON steps.run_id = named.run_id
    GROUP BY named.run_id, named.event_id
),
measured AS MATERIALIZED (
    SELECT
        named.run_id,
        named.event_id,
        CASE WHEN named.observed_step IS NOT NULL AND named.originated_step IS NOT NULL
             THEN named.observed_step - named.originated_step
             ELSE coalesce(observed_steps.nth_named, observed_steps.nth_before_error) - origin_steps.nth END AS step_distance,
        CASE WHEN named.clock = 'wall'
             THEN (epoch_us(coalesce(named.error_at, observed_steps.began_at)) // 1000 - epoch_us(origin_steps.began_at) // 1000) / 1000.0e0
             END AS delay_s,
        origin_steps.agent AS origin_agent
    FROM named
    LEFT JOIN origin_steps ON origin_steps.run_id = named.run_id AND origin_steps.event_id IS NOT DISTINCT FROM named.event_id
    LEFT JOIN observed_steps
        ON observed_steps.run_id = named.run_id AND observed_steps.event_id IS NOT DISTINCT FROM named.event_id
)
,
reviewed_origins AS MATERIALIZED (
    SELECT
        effective.run_id,
        effective.event_id,
        effective.observed_at,
        effective.originated_at,
        placed.observed_phase,
        placed.originated_phase,
        placed.distance,
        placed.lifecycle,
        measured.step_distance,
        measured.delay_s,
        measured.origin_agent,
        effective.trigger,
        effective.root_cause,
        effective.trigger_is_cause,
        effective.context_failure_class,
        effective.fix_at,
        effective.prevention_layer,
        effective.prevention,
        effective.prevention_null,
        effective.durable,
        effective.status,
        effective.resolved,
        effective.basis,
        effective.rule,
        effective.author,
        effective.diagnosed_at,
        effective.review_id,
        effective.standing_reviews,
        effective.recorded_observed_at,
        effective.recorded_originated_at,
        effective.recorded_trigger,
        effective.recorded_root_cause,
        effective.recorded_fix_at,
        effective.recorded_prevention,
        effective.recorded_basis,
        named.error_seq,
        named.error_type,
        named.agent
    FROM effective
    JOIN named ON named.run_id = effective.run_id AND named.event_id IS NOT DISTINCT FROM effective.event_id
    LEFT JOIN placed ON placed.run_id = effective.run_id AND placed.event_id IS NOT DISTINCT FROM effective.event_id
    LEFT JOIN measured ON measured.run_id = effective.run_id AND measured.event_id IS NOT DISTINCT FROM effective.event_id
)
