-- A call of one run whose outcome is not known: an effect may have landed. `checked_state` says what a look showed.
WITH
-- include ../_one_run.sql
SELECT
    error_events.run_id,
    error_events.event_id,
    error_events.seq,
    error_events.agent,
    error_events.resource,
    error_events.checked_state,
    error_events.checked_by,
    error_events.details
FROM error_events
JOIN chosen ON chosen.run_id = error_events.run_id
WHERE error_events.tool_error_class = 'unknown_outcome'
ORDER BY error_events.run_id, error_events.seq NULLS LAST, error_events.event_id
LIMIT $limit
