-- A pair of phases: failures observed in the one that originated in the other, by the same reading as `origins` (reviewed
-- before recorded before derived). Derived diagnoses count only with $derived. A phase that is in no lifecycle is NULL.
-- `comparable` ones have both phases in one lifecycle, and so a distance; `origin_after` ones a negative one.
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
        CASE WHEN reviewed.run_id IS NOT NULL THEN 'reviewed' ELSE said.basis END AS basis
    FROM said
    FULL JOIN reviewed ON reviewed.run_id = said.run_id AND reviewed.event_key = said.event_id
),
named AS (
    SELECT
        effective.run_id,
        effective.event_id,
        effective.basis,
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
-- The lifecycle that has both phases; where none has, each phase by itself, in the run's own lifecycle first.
placed AS (
    SELECT
        named.run_id,
        named.event_id,
        named.basis,
        arg_min(observed.position - originated.position, CAST(lifecycles.lifecycle <> named.home AS INTEGER)) AS distance,
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
    GROUP BY named.run_id, named.event_id, named.basis
)
SELECT
    observed_phase,
    originated_phase,
    count(*) AS failures,
    count(*) FILTER (basis = 'reviewed') AS reviewed,
    count(*) FILTER (basis = 'recorded') AS recorded,
    count(*) FILTER (basis = 'derived') AS derived,
    count(distance) AS comparable,
    count(*) FILTER (distance < 0) AS origin_after
FROM placed
GROUP BY observed_phase, originated_phase
ORDER BY failures DESC, observed_phase NULLS LAST, originated_phase NULLS LAST
