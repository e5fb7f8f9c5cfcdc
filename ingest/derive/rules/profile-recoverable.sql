-- rule: profile-recoverable
-- severity: error
-- statement: Recoverable on a class that is not retryable.
-- needs: a failure class of the profiles, and recoverable
-- advice: Only execution_error and resource_exhaustion may be recoverable; take the flag off or correct the class.
-- when: error_events WHERE failure_class IS NOT NULL
SELECT e.run_id, e.event_id, e.recoverable AND NOT p.retryable AS violated,
       e.failure_class || ' is not retryable, the artifact says recoverable' AS message,
       json_object('failure_class', e.failure_class, 'recoverable', e.recoverable, 'retryable', p.retryable) AS evidence
FROM error_events e LEFT JOIN failure_profiles p ON p.failure_class = e.failure_class
WHERE e.failure_class IS NOT NULL
