-- The figures of all diagnosed failures together, by the same reading as `origins` (reviewed before recorded; derived ones only
-- with $derived). `elsewhere` is the share of failures with a distance that originated in another phase than they were
-- observed in, with its Wilson 95 % interval (z = 1.959964).
-- portable
WITH
-- include ../_chosen_in_time.sql
,
-- include _reviewed.sql
,
diagnosed AS (
    SELECT
        basis,
        originated_at,
        fix_at,
        prevention_null,
        trigger_is_cause,
        distance,
        delay_s
    FROM origin_facts
    WHERE run_id IN (SELECT run_id FROM chosen)
      AND NOT EXISTS (
          SELECT 1 FROM reviewed WHERE reviewed.run_id = origin_facts.run_id AND reviewed.event_key = origin_facts.event_id
      )
    UNION ALL
    SELECT
        effective.basis,
        effective.originated_at,
        effective.fix_at,
        effective.prevention_null,
        effective.trigger_is_cause,
        placed.distance,
        -- Only where nobody moved a place.
        CASE WHEN effective.is_where_recorded THEN effective.recorded_delay_s END AS delay_s
    FROM effective
    JOIN placed ON placed.run_id = effective.run_id AND placed.event_id IS NOT DISTINCT FROM effective.event_id
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
        count(*) FILTER (prevention_null) AS prevention_null,
        count(delay_s) AS with_delay,
        CAST(median(delay_s) AS DOUBLE) AS median_delay_s
    FROM diagnosed
    WHERE $derived OR basis <> 'derived'
),
shared AS (
    SELECT
        figures.diagnosed,
        figures.moved / nullif(figures.comparable, 0) AS rate,
        1.959964e0 * 1.959964e0 / nullif(figures.comparable, 0) AS z2n
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
    figures.with_delay,
    figures.median_delay_s,
    CAST(shared.rate AS DOUBLE) AS elsewhere,
    greatest(0, (shared.rate + shared.z2n / 2 - sqrt(shared.z2n * (shared.rate * (1 - shared.rate) + shared.z2n / 4)))
        / (1 + shared.z2n)) AS elsewhere_low,
    least(1, (shared.rate + shared.z2n / 2 + sqrt(shared.z2n * (shared.rate * (1 - shared.rate) + shared.z2n / 4)))
        / (1 + shared.z2n)) AS elsewhere_high
FROM figures
CROSS JOIN shared
ORDER BY figures.diagnosed
