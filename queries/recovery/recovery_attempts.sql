-- Recovery attempts, the newest first, each with the failure it belongs to. `counted_as` says what it is to a rate.
-- portable
WITH counted AS (
    SELECT count(*) AS matching
    FROM recovery_attempts
    WHERE (recovery_attempts.basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
      AND ($chain IS NULL OR chain = $chain)
),
-- Only those that are shown look for their failures.
shown AS (
    SELECT
        recovery_attempts.run_id,
        recovery_attempts.event_id,
        recovery_attempts.seq,
        recovery_attempts.workload,
        recovery_attempts.happened_at,
        recovery_attempts.chain,
        recovery_attempts.trigger,
        recovery_attempts.confidence,
        recovery_attempts.auto_executed,
        recovery_attempts.outcome,
        recovery_attempts.counted_as,
        recovery_attempts.error_event_id,
        recovery_attempts.full_signature
    FROM recovery_attempts
    WHERE (recovery_attempts.basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
      AND ($chain IS NULL OR chain = $chain)
    ORDER BY happened_at DESC NULLS LAST, recovery_attempts.run_id, recovery_attempts.seq DESC
    LIMIT $limit OFFSET $offset
)
SELECT
    shown.run_id,
    shown.event_id,
    shown.workload,
    shown.happened_at,
    shown.chain,
    shown.trigger,
    shown.confidence,
    shown.auto_executed,
    shown.outcome,
    shown.counted_as,
    shown.error_event_id,
    coalesce(error_events.error_code, error_events.type) AS failure,
    shown.full_signature,
    counted.matching
FROM shown
CROSS JOIN counted
LEFT JOIN error_events ON error_events.run_id = shown.run_id AND error_events.event_id = shown.error_event_id
ORDER BY shown.happened_at DESC NULLS LAST, shown.run_id, shown.seq DESC
