-- What a run did to a named target after a denial or an outcome that nobody knows, in the runs that have one.
CREATE OR REPLACE TEMP TABLE acts AS
WITH concerned AS (
    SELECT run_id FROM error_events WHERE tool_error_class IN ('policy_denial', 'unknown_outcome') OR level = 'L0'
    UNION
    SELECT run_id FROM guardrail_events WHERE lower(decision) IN ('deny', 'denied')
),
-- First the runs: else the attributes of every span are looked into.
their_spans AS MATERIALIZED (SELECT * FROM spans WHERE run_id IN (SELECT run_id FROM concerned)),
their_errors AS MATERIALIZED (SELECT * FROM error_events WHERE run_id IN (SELECT run_id FROM concerned)),
their_events AS MATERIALIZED (SELECT * FROM events WHERE run_id IN (SELECT run_id FROM concerned))
SELECT run_id, span_id AS act_id, seq, target_of(attributes) AS target, 'span ' || coalesce(tool, name, kind, '') AS what,
       NULL AS tool_error_class, false AS is_failed, span_id AS of_span, false AS is_escalation
FROM their_spans WHERE target_of(attributes) IS NOT NULL
  AND status IS DISTINCT FROM 'not_reached'
UNION ALL
SELECT run_id, event_id, seq, lower(trim(coalesce(resource, target_of(attributes)))), 'error ' || coalesce(error_code, type, ''),
       tool_error_class, true, span_id, coalesce(level IN ('L4', 'L5'), false) OR coalesce(result = 'ESCALATED', false)
FROM their_errors
WHERE coalesce(resource, target_of(attributes)) IS NOT NULL
UNION ALL
SELECT run_id, event_id, seq, target_of(attributes), kind, NULL,
       coalesce(json_extract_string(attributes, '$.status') = 'FAILED', false), span_id, false
FROM their_events WHERE target_of(attributes) IS NOT NULL AND kind <> 'retry';
