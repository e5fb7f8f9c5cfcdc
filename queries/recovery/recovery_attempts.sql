-- Recovery attempts, the newest first, each with the failure it belongs to. `counted_as` says what it is to a rate.
-- portable
SELECT
    recovery_attempts.run_id,
    recovery_attempts.event_id,
    recovery_attempts.workload,
    recovery_attempts.happened_at,
    recovery_attempts.chain,
    recovery_attempts.trigger,
    recovery_attempts.confidence,
    recovery_attempts.auto_executed,
    recovery_attempts.outcome,
    recovery_attempts.counted_as,
    recovery_attempts.error_event_id,
    coalesce(error_events.error_code, error_events.type) AS failure,
    recovery_attempts.full_signature,
    count(*) OVER () AS matching
FROM recovery_attempts
LEFT JOIN error_events
    ON error_events.run_id = recovery_attempts.run_id AND error_events.event_id = recovery_attempts.error_event_id
WHERE (recovery_attempts.basis = 'recorded' OR $derived)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR happened_at >= $since)
  AND ($until IS NULL OR happened_at < $until)
  AND ($chain IS NULL OR chain = $chain)
ORDER BY happened_at DESC NULLS LAST, recovery_attempts.run_id, recovery_attempts.seq DESC
LIMIT $limit OFFSET $offset
