-- rule: veto-as-failure
-- severity: error
-- statement: A veto is recorded as an exception. An artifact of class verification_veto is correct.
-- needs: errors with a type or a code
-- advice: Record a decision or a verification_veto artifact: a veto is neither a failure nor retryable.
-- when: events WHERE kind = 'decision' AND lower(name) = 'veto'
-- when: error_events WHERE failure_class IN ('verification_veto', 'epistemic_uncertainty') OR contains(lower(concat_ws(' ', type, error_code)), 'veto')
WITH named AS (
    SELECT run_id, event_id, failure_class, coalesce(type, error_code, agent_error_code) AS name,
           regexp_matches(lower(concat_ws(' ', type, error_code)), '(^|[^a-z])veto|veto(ed)?($|[^a-z]|error|exception)') AS is_veto
    FROM error_events
)
SELECT run_id, event_id,
       CASE WHEN failure_class = 'verification_veto' THEN false WHEN name IS NULL THEN NULL ELSE is_veto END AS violated,
       'a veto is written as an exception: ' || name AS message,
       json_object('name', name, 'failure_class', failure_class) AS evidence
FROM named
WHERE is_veto OR failure_class = 'verification_veto'
   OR name IS NULL AND run_id IN (SELECT run_id FROM vetoes)
