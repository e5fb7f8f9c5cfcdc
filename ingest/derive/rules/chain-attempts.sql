-- rule: chain-attempts
-- severity: error
-- statement: More attempts per run and failure than the chain allows.
-- needs: the chain's limit (C records none) and the failure an attempt belongs to
-- advice: A allows 2 attempts, then chain B; B allows 1, then ask the user.
-- when: recovery_events WHERE basis = 'recorded' AND chain IS NOT NULL
WITH attempted AS (
    SELECT run_id, chain, CASE WHEN is_full(signature, signature_partial) THEN signature ELSE error_event_id END AS failure,
           event_id, seq
    FROM recovery_events WHERE basis = 'recorded' AND chain IS NOT NULL
),
counted AS (
    SELECT run_id, attempted.chain, failure, count(*) AS attempts, any_value(p.max_attempts) AS allowed
    FROM attempted LEFT JOIN recovery_chain_profiles p ON p.chain = attempted.chain GROUP BY run_id, attempted.chain, failure
),
too_often AS (
    SELECT run_id, chain, failure, arg_max(event_id, seq) AS event_id, list(event_id ORDER BY seq) AS ids
    FROM attempted WHERE (run_id, chain, failure) IN (SELECT (run_id, chain, failure) FROM counted WHERE attempts > allowed)
    GROUP BY run_id, chain, failure
)
SELECT run_id, event_id,
       CASE WHEN allowed IS NULL OR failure IS NULL AND attempts > allowed THEN NULL ELSE attempts > allowed END AS violated,
       attempts || ' attempts of chain ' || chain || ' for one failure, it allows ' || allowed AS message,
       json_object('chain', chain, 'failure', failure, 'attempts', ids, 'allowed', allowed) AS evidence
FROM counted LEFT JOIN too_often USING (run_id, chain, failure)
