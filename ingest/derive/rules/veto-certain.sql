-- rule: veto-certain
-- severity: error
-- statement: A veto or an epistemic failure with the epistemic verdict certain.
-- needs: the epistemic verdict beside the veto
-- advice: A veto says that the result is not certain: correct the verdict, or look for what vetoed a certain result.
-- when: events WHERE kind = 'decision' AND lower(name) = 'veto'
-- when: error_events WHERE failure_class IN ('verification_veto', 'epistemic_uncertainty')
SELECT run_id, event_id, epistemic_verdict = 'certain' AS violated,
       coalesce(failure_class, 'a veto') || ' with the epistemic verdict certain' AS message,
       json_object('epistemic_verdict', epistemic_verdict, 'written_as', written_as, 'failure_class', failure_class) AS evidence
FROM vetoes
