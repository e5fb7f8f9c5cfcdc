-- rule: fix-provisional
-- severity: warning
-- statement: A fix at the observation point with the failure marked closed or durable.
-- needs: where the fix was made, and whether it is closed or durable
-- advice: Keep it open until the origin is fixed: at the observation point a fix is provisional.
-- when: diagnoses WHERE fix_at IS NOT NULL OR status = 'closed' OR durable
SELECT run_id, coalesce(event_id, diagnosis_id) AS event_id,
       CASE fix_at WHEN 'origin' THEN false
            WHEN 'observation' THEN CASE WHEN status = 'closed' OR durable THEN true
                                         WHEN status IS NOT NULL OR durable IS NOT NULL THEN false END END AS violated,
       'fixed where it was observed (' || coalesce(observed_at, 'place not recorded') || ') and marked '
           || CASE WHEN status = 'closed' THEN 'closed' ELSE 'durable' END AS message,
       json_object('fix_at', fix_at, 'status', status, 'durable', durable) AS evidence
FROM diagnoses WHERE fix_at IS NOT NULL OR status = 'closed' OR durable
