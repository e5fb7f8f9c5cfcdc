-- rule: retry-class
-- severity: error
-- statement: A bare retry follows a tool error that is not transport, or VALIDATION_ERROR with unchanged input, FATAL or SECURITY.
-- needs: a retry whose failure records a tool error class or an agent error code, and whether anything was changed
-- advice: Only a transport error may be retried as it is. Change the call, diagnose the work, re-read the state or stop.
-- when: retries
SELECT run_id, event_id,
       CASE WHEN agent_error_code IN ('FATAL', 'SECURITY') THEN true
            WHEN is_transient THEN false
            WHEN tool_error_class IS NULL AND agent_error_code IS DISTINCT FROM 'VALIDATION_ERROR' THEN NULL
            ELSE is_bare END AS violated,
       CASE WHEN is_bare THEN 'an unchanged retry' ELSE 'a retry' END || ' follows '
           || coalesce(tool_error_class, agent_error_code) || ' of event ' || of_event AS message,
       json_object('of_event', of_event, 'tool_error_class', tool_error_class, 'agent_error_code', agent_error_code,
                   'unchanged', is_bare) AS evidence
FROM retries
