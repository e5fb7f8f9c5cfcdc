-- The figures of all diagnosed failures together, by the same reading as `origins` (reviewed before recorded; derived ones only
-- with $derived). `elsewhere` is the share of failures with a distance that originated in another phase than they were
-- observed in, with its Wilson 95 % interval (z = 1.959964).
WITH chosen AS (
    SELECT
        run_id,
        source
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
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
        fix_at,
        prevention,
        coalesce(list_contains(flags, 'null_prevention'), false) AS prevention_null,
        basis,
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
        arg_max(fix_at, place) AS fix_at,
        arg_max(CASE WHEN prevention IS NOT NULL THEN prevention_null END, place) AS prevention_null,
        arg_max(basis, place) AS basis
    FROM ranked
    GROUP BY run_id, event_id
),
reviewed AS (
    SELECT
        run_id,
        coalesce(event_id, '') AS event_key,
        arg_max(body, epoch_us(created_at)) AS body
    FROM reviews
    WHERE kind = 'diagnosis'
      AND run_id IN (SELECT run_id FROM chosen)
      AND NOT EXISTS (
          SELECT 1 FROM reviews AS later
          WHERE later.run_id = reviews.run_id AND later.kind = reviews.kind
            AND (later.supersedes = reviews.review_id
                 OR list_contains(json_extract_string(later.body, '$.settles[*]'), reviews.review_id))
      )
    GROUP BY run_id, coalesce(event_id, '')
),
effective AS (
    SELECT
        coalesce(said.run_id, reviewed.run_id) AS run_id,
        coalesce(said.event_id, nullif(reviewed.event_key, '')) AS event_id,
        coalesce(json_extract_string(reviewed.body, '$.observed_at'), said.observed_at) AS observed_at,
        coalesce(json_extract_string(reviewed.body, '$.originated_at'), said.originated_at) AS originated_at,
        coalesce(json_extract_string(reviewed.body, '$.trigger'), said.trigger) AS trigger,
        coalesce(json_extract_string(reviewed.body, '$.root_cause'), said.root_cause) AS root_cause,
        coalesce(json_extract_string(reviewed.body, '$.fix_at'), said.fix_at) AS fix_at,
        CASE WHEN json_extract_string(reviewed.body, '$.prevention') IS NOT NULL
                  OR json_extract_string(reviewed.body, '$.prevention_layer') IS NOT NULL
             THEN coalesce(json_extract_string(reviewed.body, '$.null_prevention') = 'true', false)
             ELSE said.prevention_null END AS prevention_null,
        CASE WHEN reviewed.run_id IS NOT NULL THEN 'reviewed' ELSE said.basis END AS basis
    FROM said
    FULL JOIN reviewed ON reviewed.run_id = said.run_id AND reviewed.event_key = said.event_id
),
named AS (
    SELECT
        effective.run_id,
        effective.event_id,
        effective.basis,
        effective.originated_at,
        effective.fix_at,
        effective.prevention_null,
        lower(regexp_replace(trim(effective.trigger), '\s+', ' ', 'g'))
            = lower(regexp_replace(trim(effective.root_cause), '\s+', ' ', 'g')) AS trigger_is_cause,
        CASE chosen.source WHEN 'bijux-canon-agent' THEN 'agent' ELSE 'nexus' END AS home,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            coalesce(effective.observed_at, error_events.phase), '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b.*$', ''), ' ', '_'), '-', '_')) AS observed_name,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            effective.originated_at, '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b.*$', ''), ' ', '_'), '-', '_')) AS originated_name
    FROM effective
    JOIN chosen ON chosen.run_id = effective.run_id
    LEFT JOIN error_events ON error_events.run_id = effective.run_id AND error_events.event_id = effective.event_id
    WHERE $derived OR effective.basis <> 'derived'
),
lifecycles AS (
    SELECT DISTINCT lifecycle FROM phase_order
),
-- The lifecycle that has both phases, the run's own first.
placed AS (
    SELECT
        named.run_id,
        named.event_id,
        any_value(named.basis) AS basis,
        any_value(named.originated_at) AS originated_at,
        any_value(named.fix_at) AS fix_at,
        any_value(named.prevention_null) AS prevention_null,
        any_value(named.trigger_is_cause) AS trigger_is_cause,
        arg_min(observed.position - originated.position, CAST(lifecycles.lifecycle <> named.home AS INTEGER)) AS distance
    FROM named
    CROSS JOIN lifecycles
    LEFT JOIN phase_order AS observed
        ON observed.lifecycle = lifecycles.lifecycle AND observed.alias = named.observed_name
    LEFT JOIN phase_order AS originated
        ON originated.lifecycle = lifecycles.lifecycle AND originated.alias = named.originated_name
    GROUP BY named.run_id, named.event_id
),
figures AS (
    SELECT
        count(*) AS diagnosed,
        count(*) FILTER (basis = 'reviewed') AS reviewed,
        count(*) FILTER (basis = 'recorded') AS recorded,
        count(*) FILTER (basis = 'derived') AS derived,
        count(*) FILTER (originated_at IS NOT NULL) AS with_origin,
        count(distance) AS comparable,
        count(*) FILTER (distance <> 0) AS moved,
        count(*) FILTER (distance < 0) AS origin_after,
        CAST(median(distance) AS DOUBLE) AS median_distance,
        count(*) FILTER (fix_at = 'observation') AS provisional,
        count(*) FILTER (trigger_is_cause) AS trigger_is_cause,
        count(*) FILTER (prevention_null) AS prevention_null
    FROM placed
),
shared AS (
    SELECT
        figures.diagnosed,
        figures.moved / nullif(figures.comparable, 0) AS rate,
        1.959964 * 1.959964 / nullif(figures.comparable, 0) AS z2n
    FROM figures
)
SELECT
    figures.diagnosed,
    figures.reviewed,
    figures.recorded,
    figures.derived,
    figures.with_origin,
    figures.comparable,
    figures.moved,
    figures.origin_after,
    figures.median_distance,
    figures.provisional,
    figures.trigger_is_cause,
    figures.prevention_null,
    CAST(shared.rate AS DOUBLE) AS elsewhere,
    greatest(0, (shared.rate + shared.z2n / 2 - sqrt(shared.z2n * (shared.rate * (1 - shared.rate) + shared.z2n / 4)))
        / (1 + shared.z2n)) AS elsewhere_low,
    least(1, (shared.rate + shared.z2n / 2 + sqrt(shared.z2n * (shared.rate * (1 - shared.rate) + shared.z2n / 4)))
        / (1 + shared.z2n)) AS elsewhere_high
FROM figures
CROSS JOIN shared
ORDER BY figures.diagnosed
