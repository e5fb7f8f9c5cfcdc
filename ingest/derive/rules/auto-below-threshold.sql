-- rule: auto-below-threshold
-- severity: error
-- statement: A recovery is auto-executed with confidence under the chain's own threshold.
-- needs: chain, confidence and auto_executed
-- advice: Ask under the threshold: A 0.75, B 0.70, C 0.80.
-- when: recovery_events WHERE basis = 'recorded'
SELECT r.run_id, r.event_id,
       CASE WHEN r.auto_executed = false THEN false
            WHEN r.auto_executed AND p.auto_threshold IS NOT NULL THEN r.confidence < p.auto_threshold END AS violated,
       'chain ' || r.chain || ' ran by itself at confidence ' || printf('%.2f', r.confidence) || ', its threshold is '
           || printf('%.2f', p.auto_threshold) AS message,
       json_object('chain', r.chain, 'confidence', r.confidence, 'threshold', p.auto_threshold) AS evidence
FROM recovery_events r LEFT JOIN recovery_chain_profiles p ON p.chain = r.chain
WHERE r.basis = 'recorded'
