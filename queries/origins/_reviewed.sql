-- The failures of the chosen runs that people reviewed, as they are to be read: what a person said stands before what the
-- record says. Phases, distances and places are found anew, because a review may say other places. All others stand in
-- `origin_facts` as they were loaded.
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
    WHERE kind IN ('diagnosis', 'resolution')
      AND run_id IN (SELECT run_id FROM chosen)
      AND NOT EXISTS (
          SELECT 1 FROM reviews AS later
          WHERE later.run_id = reviews.run_id AND later.kind = reviews.kind
            AND (later.supersedes = reviews.review_id
                 OR list_contains(from_json(json_extract(later.body, '$.settles'), '["VARCHAR"]'), reviews.review_id))
      )
),
reviewed AS MATERIALIZED (
    SELECT
        run_id,
        event_key,
        max(review_id) FILTER (kind = 'diagnosis') AS review_id,
        max(CAST(body AS VARCHAR)) FILTER (kind = 'diagnosis') AS body,
        max(author) FILTER (kind = 'diagnosis') AS author,
        max(created_at) FILTER (kind = 'diagnosis') AS created_at,
        coalesce(max(standing) FILTER (kind = 'diagnosis'), 0) AS standing,
        max(json_extract_string(body, '$.resolved')) FILTER (kind = 'resolution') = 'true' AS resolved
    FROM current_reviews
    WHERE newest = 1
    GROUP BY run_id, event_key
),
effective AS MATERIALIZED (
    SELECT
        reviewed.run_id,
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
        coalesce(reviewed.resolved, false) AS resolved,
        CASE WHEN reviewed.review_id IS NOT NULL THEN 'reviewed' ELSE said.basis END AS basis,
        CASE WHEN reviewed.review_id IS NULL THEN said.rule END AS rule,
        coalesce(reviewed.author, said.author) AS author,
        coalesce(reviewed.created_at, said.recorded_at) AS diagnosed_at,
        reviewed.review_id,
        reviewed.standing AS standing_reviews,
        said.observed_at AS recorded_observed_at,
        said.originated_at AS recorded_originated_at,
        said.trigger AS recorded_trigger,
        said.root_cause AS recorded_root_cause,
        said.fix_at AS recorded_fix_at,
        said.prevention AS recorded_prevention,
        said.basis AS recorded_basis,
        said.delay_s AS recorded_delay_s,
        lower(regexp_replace(
            trim(coalesce(json_extract_string(reviewed.body, '$.trigger'), said.trigger)), '\s+', ' ', 'g'))
            = lower(regexp_replace(
                trim(coalesce(json_extract_string(reviewed.body, '$.root_cause'), said.root_cause)), '\s+', ' ', 'g'))
            AS trigger_is_cause,
        coalesce(json_extract_string(reviewed.body, '$.observed_at'), said.observed_at) IS NOT DISTINCT FROM said.observed_at
            AND coalesce(json_extract_string(reviewed.body, '$.originated_at'), said.originated_at)
                IS NOT DISTINCT FROM said.originated_at AS is_where_recorded
    FROM reviewed
    LEFT JOIN origin_facts AS said ON said.run_id = reviewed.run_id AND said.event_id = reviewed.event_key
    WHERE said.run_id IS NOT NULL OR reviewed.review_id IS NOT NULL
),
named AS MATERIALIZED (
    SELECT
        effective.run_id,
        effective.event_id,
        effective.originated_at,
        chosen.clock,
        CASE chosen.source WHEN 'bijux-canon-agent' THEN 'agent' ELSE 'nexus' END AS home,
        error_events.seq AS error_seq,
        error_events.agent,
        error_events.type AS error_type,
        error_events.occurred_at AS error_at,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            coalesce(effective.observed_at, error_events.phase), '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b[\s\S]*', '', 'g'), ' ', '_'), '-', '_')) AS observed_name,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            effective.originated_at, '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b[\s\S]*', '', 'g'), ' ', '_'), '-', '_')) AS originated_name,
        TRY_CAST(regexp_extract(effective.observed_at, '(?i)\bstep\s*#?(\d{1,9})', 1) AS BIGINT) AS observed_step,
        TRY_CAST(regexp_extract(effective.originated_at, '(?i)\bstep\s*#?(\d{1,9})', 1) AS BIGINT) AS originated_step,
        lower(trim(regexp_extract(effective.originated_at, '/\s*(.+)$', 1))) AS originated_place
    FROM effective
    JOIN chosen ON chosen.run_id = effective.run_id
    LEFT JOIN error_events ON error_events.run_id = effective.run_id AND error_events.event_id = effective.event_id
),
lifecycles AS (
    SELECT DISTINCT lifecycle FROM phase_order
),
-- The lifecycle that has both phases, the run's own first; where none has, each phase by itself.
placed AS MATERIALIZED (
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
)
