-- A pair of phases: failures observed in the one that originated in the other, by the same reading as `origins` (reviewed
-- before recorded before derived). Derived diagnoses count only with $derived. A phase that is in no lifecycle is NULL.
-- `comparable` ones have both phases in one lifecycle, and so a distance; `origin_after` ones a negative one.
-- portable
WITH
-- include ../_chosen_in_time.sql
,
-- include _reviewed.sql
,
placed_all AS (
    SELECT
        observed_phase,
        originated_phase,
        distance,
        basis
    FROM origin_facts
    WHERE run_id IN (SELECT run_id FROM chosen)
      AND NOT EXISTS (
          SELECT 1 FROM reviewed WHERE reviewed.run_id = origin_facts.run_id AND reviewed.event_key = origin_facts.event_id
      )
    UNION ALL
    SELECT
        placed.observed_phase,
        placed.originated_phase,
        placed.distance,
        effective.basis
    FROM effective
    JOIN placed ON placed.run_id = effective.run_id AND placed.event_id IS NOT DISTINCT FROM effective.event_id
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
FROM placed_all
WHERE $derived OR basis <> 'derived'
GROUP BY observed_phase, originated_phase
ORDER BY failures DESC, observed_phase NULLS LAST, originated_phase NULLS LAST
