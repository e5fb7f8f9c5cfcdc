-- The place of a record of one run: file and line. `events` keeps those ids: a JSON array of texts.
WITH
-- include ../_one_run.sql
,
stored AS (
    SELECT run_id, 'span' AS kind, span_id AS event_id, file_id, part, line FROM spans WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'event' AS kind, event_id AS event_id, file_id, part, line FROM events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'error' AS kind, event_id AS event_id, file_id, part, line FROM error_events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'recovery' AS kind, event_id AS event_id, file_id, part, line FROM recovery_events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'guardrail' AS kind, event_id AS event_id, file_id, part, line FROM guardrail_events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'context set' AS kind, event_id AS event_id, file_id, part, line FROM context_sets WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'context operation' AS kind, event_id AS event_id, file_id, part, line FROM context_ops WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'diagnosis' AS kind, diagnosis_id AS event_id, file_id, part, line FROM diagnoses WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'delegation' AS kind, event_id AS event_id, file_id, part, line FROM delegations WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'wait' AS kind, event_id AS event_id, file_id, part, line FROM waits WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'handoff' AS kind, event_id AS event_id, file_id, part, line FROM handoffs WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, 'replay' AS kind, event_id AS event_id, file_id, part, line FROM replays WHERE run_id IN (SELECT run_id FROM chosen)
)
SELECT
    stored.run_id,
    stored.kind,
    stored.event_id,
    source_files.path,
    stored.part,
    stored.line
FROM stored
LEFT JOIN source_files ON source_files.file_id = stored.file_id
WHERE $events IS NULL OR list_contains(from_json($events, '["VARCHAR"]'), stored.event_id)
ORDER BY stored.run_id, stored.kind, stored.line NULLS LAST, stored.event_id
LIMIT $limit
