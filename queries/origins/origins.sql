-- An event with a diagnosis: what a reviewer said stands before what the record says, that before what was derived, and the
-- recorded values stand beside it. Phases are read from the beginning of the texts ("VERIFY / step 3"; an event that is only
-- observed by its phase column counts by that); `distance` is index(observed) - index(originated) in the one lifecycle that
-- has both, NULL where there is none, and negative where an origin comes after its observation. `step_distance` and
-- `delay_s` need both places on the run's timeline. A fix at the observation point is provisional and stays open.
WITH chosen AS (
    SELECT
        run_id,
        native_id,
        name,
        coalesce(workload, 'default') AS workload,
        source,
        started_at,
        clock
    FROM runs
    WHERE ($run IS NULL OR run_id = $run
           OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run)))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
ranked AS (
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
    WHERE run_id IN (SELECT run_id FROM chosen)
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
current_reviews AS (
    SELECT
        run_id,
        coalesce(event_id, '') AS event_key,
        review_id,
        kind,
        body,
        author,
        created_at,
        count(*) OVER (PARTITION BY run_id, coalesce(event_id, ''), kind) AS standing,
        row_number() OVER (PARTITION BY run_id, coalesce(event_id, ''), kind ORDER BY created_at DESC, review_id DESC) AS newest
    FROM reviews
    WHERE run_id IN (SELECT run_id FROM chosen)
      AND NOT EXISTS (
          SELECT 1 FROM reviews AS later
          WHERE later.run_id = reviews.run_id AND later.kind = reviews.kind
            AND (later.supersedes = reviews.review_id
                 OR list_contains(json_extract_string(later.body, '$.settles[*]'), reviews.review_id))
      )
),
reviewed AS (
    SELECT
        run_id,
        event_key,
        any_value(review_id) FILTER (kind = 'diagnosis') AS review_id,
        any_value(body) FILTER (kind = 'diagnosis') AS body,
        any_value(author) FILTER (kind = 'diagnosis') AS author,
        any_value(created_at) FILTER (kind = 'diagnosis') AS created_at,
        coalesce(any_value(standing) FILTER (kind = 'diagnosis'), 0) AS standing,
        any_value(json_extract_string(body, '$.resolved')) FILTER (kind = 'resolution') = 'true' AS resolved
    FROM current_reviews
    WHERE newest = 1 AND kind IN ('diagnosis', 'resolution')
    GROUP BY run_id, event_key
),
effective AS (
    SELECT
        coalesce(said.run_id, reviewed.run_id) AS run_id,
        coalesce(said.event_id, nullif(reviewed.event_key, '')) AS event_id,
        coalesce(json_extract_string(reviewed.body, '$.observed_at'), said.observed_at) AS observed_at,
        coalesce(json_extract_string(reviewed.body, '$.originated_at'), said.originated_at) AS originated_at,
        coalesce(json_extract_string(reviewed.body, '$.trigger'), said.trigger) AS trigger,
        coalesce(json_extract_string(reviewed.body, '$.root_cause'), said.root_cause) AS root_cause,
        coalesce(json_extract_string(reviewed.body, '$.context_failure_class'), said.context_failure_class)
            AS context_failure_class,
        coalesce(json_extract_string(reviewed.body, '$.fix_at'), said.fix_at) AS fix_at,
        coalesce(json_extract_string(reviewed.body, '$.prevention_layer'), said.prevention_layer) AS prevention_layer,
        coalesce(json_extract_string(reviewed.body, '$.prevention'), said.prevention) AS prevention,
        CASE WHEN json_extract_string(reviewed.body, '$.prevention') IS NOT NULL
                  OR json_extract_string(reviewed.body, '$.prevention_layer') IS NOT NULL
             THEN coalesce(json_extract_string(reviewed.body, '$.null_prevention') = 'true', false)
             ELSE said.prevention_null END AS prevention_null,
        coalesce(TRY_CAST(json_extract_string(reviewed.body, '$.durable') AS BOOLEAN), said.durable) AS durable,
        coalesce(CASE WHEN reviewed.resolved THEN 'closed' END, json_extract_string(reviewed.body, '$.status'), said.status)
            AS status,
        reviewed.resolved,
        CASE WHEN reviewed.review_id IS NOT NULL THEN 'reviewed' ELSE said.basis END AS basis,
        CASE WHEN reviewed.review_id IS NULL THEN said.rule END AS rule,
        coalesce(reviewed.author, said.author) AS author,
        coalesce(reviewed.created_at, said.recorded_at) AS diagnosed_at,
        reviewed.review_id,
        coalesce(reviewed.standing, 0) AS standing_reviews,
        said.observed_at AS recorded_observed_at,
        said.originated_at AS recorded_originated_at,
        said.trigger AS recorded_trigger,
        said.root_cause AS recorded_root_cause,
        said.fix_at AS recorded_fix_at,
        said.prevention AS recorded_prevention,
        said.basis AS recorded_basis
    FROM said
    FULL JOIN reviewed ON reviewed.run_id = said.run_id AND reviewed.event_key = said.event_id
    WHERE said.run_id IS NOT NULL OR reviewed.review_id IS NOT NULL
),
named AS (
    SELECT
        count(*) OVER () AS matching,
        effective.run_id,
        effective.event_id,
        effective.observed_at,
        effective.originated_at,
        effective.trigger,
        effective.root_cause,
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
        chosen.workload,
        chosen.source,
        chosen.native_id,
        chosen.name,
        chosen.started_at,
        chosen.clock,
        CASE chosen.source WHEN 'bijux-canon-agent' THEN 'agent' ELSE 'nexus' END AS home,
        error_events.seq AS error_seq,
        error_events.agent,
        error_events.type AS error_type,
        error_events.occurred_at AS error_at,
        error_events.step_index AS error_step,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            coalesce(effective.observed_at, error_events.phase), '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b.*$', ''), ' ', '_'), '-', '_')) AS observed_name,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            effective.originated_at, '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b.*$', ''), ' ', '_'), '-', '_')) AS originated_name,
        TRY_CAST(regexp_extract(effective.observed_at, '(?i)\bstep\s*#?(\d{1,9})', 1) AS BIGINT) AS observed_step,
        TRY_CAST(regexp_extract(effective.originated_at, '(?i)\bstep\s*#?(\d{1,9})', 1) AS BIGINT) AS originated_step,
        lower(trim(regexp_extract(effective.observed_at, '/\s*(.+)$', 1))) AS observed_place,
        lower(trim(regexp_extract(effective.originated_at, '/\s*(.+)$', 1))) AS originated_place
    FROM effective
    JOIN chosen ON chosen.run_id = effective.run_id
    LEFT JOIN error_events ON error_events.run_id = effective.run_id AND error_events.event_id = effective.event_id
    -- Here, so that places on timelines are looked for only where they are shown.
    ORDER BY chosen.started_at DESC NULLS LAST, effective.run_id, error_events.seq NULLS LAST, effective.event_id
    LIMIT $limit OFFSET $offset
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
    named.basis,
    named.fix_at,
    coalesce(named.fix_at = 'observation', false) AS provisional,
    CASE WHEN placed.distance < 0 THEN 'origin after its observation'
         WHEN placed.distance = 0 THEN 'in the same phase'
         WHEN placed.distance > 0 THEN 'origin before its observation'
         WHEN measured.step_distance < 0 THEN 'origin after its observation'
         WHEN measured.step_distance = 0 THEN 'in the same step'
         WHEN measured.step_distance > 0 THEN 'origin before its observation' END AS direction,
    placed.lifecycle,
    measured.step_distance,
    measured.delay_s,
    named.trigger,
    named.root_cause,
    lower(regexp_replace(trim(named.trigger), '\s+', ' ', 'g')) = lower(regexp_replace(trim(named.root_cause), '\s+', ' ', 'g'))
        AS trigger_is_cause,
    named.context_failure_class,
    named.prevention_layer,
    named.prevention,
    named.prevention_null,
    named.durable,
    named.status,
    coalesce(named.resolved, false) AS resolved,
    named.rule,
    named.author,
    named.diagnosed_at,
    named.review_id,
    named.standing_reviews,
    named.recorded_observed_at,
    named.recorded_originated_at,
    named.recorded_trigger,
    named.recorded_root_cause,
    named.recorded_fix_at,
    named.recorded_prevention,
    named.recorded_basis,
    named.workload,
    coalesce(named.name, named.native_id) AS run_name,
    named.started_at,
    named.error_type,
    named.agent,
    measured.origin_agent,
    named.matching
FROM named
LEFT JOIN placed ON placed.run_id = named.run_id AND placed.event_id IS NOT DISTINCT FROM named.event_id
LEFT JOIN measured ON measured.run_id = named.run_id AND measured.event_id IS NOT DISTINCT FROM named.event_id
ORDER BY named.started_at DESC NULLS LAST, named.run_id, named.error_seq NULLS LAST, named.event_id
