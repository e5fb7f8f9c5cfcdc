-- rule: stop-reason-missing
-- severity: warning
-- statement: The run stopped, with no stop reason in its final status or trace.
-- needs: a run that was stopped, of a producer that records stop reasons
-- advice: Record why it stopped: without it a person cannot tell a budget from a veto.
-- when: runs WHERE status IN ('aborted', 'vetoed', 'interrupted')
SELECT run_id, NULL AS event_id,
       CASE WHEN stop_reason IS NOT NULL OR json_extract_string(attributes, '$.final_status.stop_reason') IS NOT NULL THEN false
            WHEN source IN ('bijux-canon-agent', 'faultlens') THEN true END AS violated,
       'the run is ' || status || ' and records no stop reason' AS message,
       json_object('status', status, 'status_reason', status_reason) AS evidence
FROM runs
WHERE status IN ('aborted', 'vetoed', 'interrupted')
  -- A run that went through to its veto was decided, not stopped.
  AND json_extract_string(attributes, '$.header_status') IS DISTINCT FROM 'completed'
