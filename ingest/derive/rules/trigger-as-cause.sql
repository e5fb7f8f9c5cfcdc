-- rule: trigger-as-cause
-- severity: warning
-- statement: The trigger is recorded as the root cause.
-- needs: trigger and root cause
-- advice: What set it off is not what let it become a failure: name the thing that was missing.
-- when: diagnoses WHERE trigger IS NOT NULL OR root_cause IS NOT NULL
SELECT run_id, coalesce(event_id, diagnosis_id) AS event_id,
       lower(regexp_replace(trim(trigger), '\s+', ' ', 'g')) = lower(regexp_replace(trim(root_cause), '\s+', ' ', 'g')) AS violated,
       'trigger and root cause are the same: ' || root_cause AS message,
       json_object('trigger', trigger, 'root_cause', root_cause) AS evidence
FROM diagnoses WHERE trigger IS NOT NULL OR root_cause IS NOT NULL
