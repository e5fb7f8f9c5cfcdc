-- What is open about each diagnosed failure of the runs chosen: as a reviewer said, else as recorded or derived.
standing AS (
    SELECT
        fix_at = 'observation' AS is_provisional,
        coalesce(distance, step_distance) < 0 AS is_after,
        trigger_is_cause,
        prevention_null
    FROM origin_facts
    WHERE run_id IN (SELECT run_id FROM chosen)
      AND NOT EXISTS (
          SELECT 1 FROM reviewed
          WHERE reviewed.run_id = origin_facts.run_id AND reviewed.event_key = origin_facts.event_id
      )
    UNION ALL
    SELECT
        fix_at = 'observation' AS is_provisional,
        coalesce(distance, step_distance) < 0 AS is_after,
        trigger_is_cause,
        prevention_null
    FROM reviewed_origins
)
