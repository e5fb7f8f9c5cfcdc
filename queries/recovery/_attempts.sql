-- The counted attempts that pass the filters, each with its place among those of its run. That place was derived when the
-- run was loaded; it is found anew where the window cuts the run in two, or counts only some of its attempts.
attempts AS (
    SELECT
        run_id,
        chain,
        outcome,
        confidence,
        auto_executed,
        counted_as,
        coalesce(full_signature, error_event_id) AS failure,
        is_last,
        next_chain,
        next_outcome,
        nth_of_failure
    FROM recovery_attempts
    WHERE is_counted
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
      AND NOT (is_mixed OR coalesce(run_from < $since, false) OR coalesce(run_to >= $until, false))
    UNION ALL
    SELECT
        run_id,
        chain,
        outcome,
        confidence,
        auto_executed,
        counted_as,
        coalesce(full_signature, error_event_id) AS failure,
        full_signature IS NULL
            OR row_number() OVER (PARTITION BY run_id, chain, full_signature ORDER BY seq DESC) = 1 AS is_last,
        lead(chain) OVER (PARTITION BY run_id ORDER BY seq) AS next_chain,
        lead(outcome) OVER (PARTITION BY run_id ORDER BY seq) AS next_outcome,
        CASE
            WHEN coalesce(full_signature, error_event_id) IS NOT NULL
            THEN row_number() OVER (
                PARTITION BY run_id, chain, coalesce(full_signature, error_event_id) ORDER BY seq)
        END AS nth_of_failure
    FROM recovery_attempts
    WHERE is_counted
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
      AND (is_mixed OR coalesce(run_from < $since, false) OR coalesce(run_to >= $until, false))
)
