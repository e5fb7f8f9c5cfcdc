-- when: diagnoses
-- `origin_facts`: what the records say of where failures began, with the distance between both places, so that no page reads
-- phases out of texts and looks for places on timelines anew. What people say stands before it, in the queries.
DELETE FROM origin_facts;
INSERT INTO origin_facts BY NAME
WITH ranked AS (
    SELECT
        run_id,
        coalesce(event_id, diagnosis_id) AS event_id,
        observed_at,
        originated_at,
        trigger,
        root_cause,
        context_failure_class,
        fix_at,
        prevention_layer,
        prevention,
        coalesce(list_contains(flags, 'null_prevention'), false) AS prevention_null,
        durable,
        status,
        basis,
        rule,
        author,
        recorded_at,
        row_number() OVER (
            PARTITION BY run_id, coalesce(event_id, diagnosis_id)
            ORDER BY CASE basis WHEN 'reviewed' THEN 3 WHEN 'recorded' THEN 2 ELSE 1 END, seq, diagnosis_id
        ) AS place
    FROM diagnoses
    -- What was derived does not fill the gaps of what was recorded: it would pass for recorded.
    QUALIFY rank() OVER (
        PARTITION BY run_id, coalesce(event_id, diagnosis_id)
        ORDER BY CASE basis WHEN 'reviewed' THEN 3 WHEN 'recorded' THEN 2 ELSE 1 END DESC
    ) = 1
),
said AS (
    SELECT
        run_id,
        event_id,
        arg_max(observed_at, place) AS observed_at,
        arg_max(originated_at, place) AS originated_at,
        arg_max(trigger, place) AS trigger,
        arg_max(root_cause, place) AS root_cause,
        arg_max(context_failure_class, place) AS context_failure_class,
        arg_max(fix_at, place) AS fix_at,
        arg_max(prevention_layer, place) AS prevention_layer,
        arg_max(prevention, place) AS prevention,
        arg_max(CASE WHEN prevention IS NOT NULL THEN prevention_null END, place) AS prevention_null,
        arg_max(durable, place) AS durable,
        arg_max(status, place) AS status,
        arg_max(basis, place) AS basis,
        arg_max(rule, place) AS rule,
        arg_max(author, place) AS author,
        arg_max(recorded_at, place) AS recorded_at
    FROM ranked
    GROUP BY run_id, event_id
),
named AS (
    SELECT
        said.run_id,
        said.event_id,
        said.observed_at,
        said.originated_at,
        said.trigger,
        said.root_cause,
        said.context_failure_class,
        said.fix_at,
        said.prevention_layer,
        said.prevention,
        said.prevention_null,
        said.durable,
        said.status,
        said.basis,
        said.rule,
        said.author,
        said.recorded_at,
        runs.clock,
        CASE runs.source WHEN 'bijux-canon-agent' THEN 'agent' ELSE 'nexus' END AS home,
        error_events.seq AS error_seq,
        error_events.agent,
        error_events.type AS error_type,
        error_events.occurred_at AS error_at,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            coalesce(said.observed_at, error_events.phase), '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b[\s\S]*', '', 'g'), ' ', '_'), '-', '_')) AS observed_name,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            said.originated_at, '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b[\s\S]*', '', 'g'), ' ', '_'), '-', '_')) AS originated_name,
        TRY_CAST(regexp_extract(said.observed_at, '(?i)\bstep\s*#?(\d{1,9})', 1) AS BIGINT) AS observed_step,
        TRY_CAST(regexp_extract(said.originated_at, '(?i)\bstep\s*#?(\d{1,9})', 1) AS BIGINT) AS originated_step,
        lower(trim(regexp_extract(said.originated_at, '/\s*(.+)$', 1))) AS originated_place
    FROM said
    JOIN runs ON runs.run_id = said.run_id
    LEFT JOIN error_events ON error_events.run_id = said.run_id AND error_events.event_id = said.event_id
),
lifecycles AS (
    SELECT DISTINCT lifecycle FROM phase_order
),
-- The lifecycle that has both phases, the run's own first; where none has, each phase by itself.
placed AS (
    SELECT
        named.run_id,
        named.event_id,
        arg_min(observed.position - originated.position, CAST(lifecycles.lifecycle <> named.home AS INTEGER)) AS distance,
        arg_min(
            CASE WHEN observed.phase IS NOT NULL AND originated.phase IS NOT NULL THEN lifecycles.lifecycle END,
            CAST(lifecycles.lifecycle <> named.home AS INTEGER)
        ) AS lifecycle,
        arg_min(
            observed.phase, 2 * CAST(originated.phase IS NULL AS INTEGER) + CAST(lifecycles.lifecycle <> named.home AS INTEGER)
        ) AS observed_phase,
        arg_min(
            originated.phase, 2 * CAST(observed.phase IS NULL AS INTEGER) + CAST(lifecycles.lifecycle <> named.home AS INTEGER)
        ) AS originated_phase
    FROM named
    CROSS JOIN lifecycles
    LEFT JOIN phase_order AS observed
        ON observed.lifecycle = lifecycles.lifecycle AND observed.alias = named.observed_name
    LEFT JOIN phase_order AS originated
        ON originated.lifecycle = lifecycles.lifecycle AND originated.alias = named.originated_name
    GROUP BY named.run_id, named.event_id
),
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
steps AS (
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
origin_steps AS (
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
observed_steps AS (
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
measured AS (
    SELECT
        named.run_id,
        named.event_id,
        CASE WHEN named.observed_step IS NOT NULL AND named.originated_step IS NOT NULL
             THEN named.observed_step - named.originated_step
             ELSE coalesce(observed_steps.nth_named, observed_steps.nth_before_error) - origin_steps.nth END AS step_distance,
        CASE WHEN named.clock = 'wall'
             THEN date_diff('millisecond', origin_steps.began_at, coalesce(named.error_at, observed_steps.began_at)) / 1000.0
             END AS delay_s,
        origin_steps.agent AS origin_agent
    FROM named
    LEFT JOIN origin_steps ON origin_steps.run_id = named.run_id AND origin_steps.event_id IS NOT DISTINCT FROM named.event_id
    LEFT JOIN observed_steps
        ON observed_steps.run_id = named.run_id AND observed_steps.event_id IS NOT DISTINCT FROM named.event_id
)
SELECT
    named.run_id,
    named.event_id,
    named.observed_at,
    named.originated_at,
    placed.observed_phase,
    placed.originated_phase,
    placed.distance,
    placed.lifecycle,
    measured.step_distance,
    measured.delay_s,
    measured.origin_agent,
    named.trigger,
    named.root_cause,
    lower(regexp_replace(trim(named.trigger), '\s+', ' ', 'g'))
        = lower(regexp_replace(trim(named.root_cause), '\s+', ' ', 'g')) AS trigger_is_cause,
    named.context_failure_class,
    named.fix_at,
    named.prevention_layer,
    named.prevention,
    named.prevention_null,
    named.durable,
    named.status,
    named.basis,
    named.rule,
    named.author,
    named.recorded_at,
    named.error_seq,
    named.error_type,
    named.agent
FROM named
LEFT JOIN placed ON placed.run_id = named.run_id AND placed.event_id IS NOT DISTINCT FROM named.event_id
LEFT JOIN measured ON measured.run_id = named.run_id AND measured.event_id IS NOT DISTINCT FROM named.event_id;
