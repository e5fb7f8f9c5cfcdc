-- rule: chain-attempts
-- severity: error
-- statement: More attempts per run and failure than the chain allows.
-- needs: the chain's limit (C records none) and the failure an attempt belongs to
-- advice: A allows 2 attempts, then chain B; B allows 1, then ask the user.
-- tables: recovery_events
WITH counted AS (
    SELECT run_id, chain, CASE WHEN is_full(signature, signature_partial) THEN signature ELSE error_event_id END AS failure,
           count(*) AS attempts, arg_max(event_id, seq) AS event_id, list(event_id ORDER BY seq) AS ids
    FROM recovery_events WHERE basis = 'recorded' AND chain IS NOT NULL GROUP BY run_id, chain, failure
)
SELECT run_id, event_id,
       CASE WHEN p.max_attempts IS NULL OR failure IS NULL AND attempts > p.max_attempts THEN NULL
            ELSE attempts > p.max_attempts END AS violated,
       attempts || ' attempts of chain ' || counted.chain || ' for one failure, it allows ' || p.max_attempts AS message,
       json_object('chain', counted.chain, 'failure', failure, 'attempts', ids, 'allowed', p.max_attempts) AS evidence
FROM counted LEFT JOIN recovery_chain_profiles p ON p.chain = counted.chain
