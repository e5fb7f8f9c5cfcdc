-- One record of one run as it is stored: its columns as JSON, its attributes as JSON, and the file and line it came
-- from.
WITH
-- include ../_one_run.sql
,
found AS (
    SELECT
        run_id,
        'span' AS kind,
        span_id AS event_id,
        CAST(to_json(spans) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM spans
    WHERE span_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'event' AS kind,
        event_id,
        CAST(to_json(events) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM events
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'error' AS kind,
        event_id,
        CAST(to_json(error_events) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM error_events
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'recovery' AS kind,
        event_id,
        CAST(to_json(recovery_events) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM recovery_events
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'guardrail' AS kind,
        event_id,
        CAST(to_json(guardrail_events) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM guardrail_events
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'context set' AS kind,
        event_id,
        CAST(to_json(context_sets) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM context_sets
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'context operation' AS kind,
        event_id,
        CAST(to_json(context_ops) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM context_ops
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'diagnosis' AS kind,
        diagnosis_id AS event_id,
        CAST(to_json(diagnoses) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM diagnoses
    WHERE diagnosis_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'delegation' AS kind,
        event_id,
        CAST(to_json(delegations) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM delegations
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'wait' AS kind,
        event_id,
        CAST(to_json(waits) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM waits
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'handoff' AS kind,
        event_id,
        CAST(to_json(handoffs) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM handoffs
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        'replay' AS kind,
        event_id,
        CAST(to_json(replays) AS VARCHAR) AS record,
        CAST(attributes AS VARCHAR) AS attributes,
        file_id,
        part,
        line
    FROM replays
    WHERE event_id = $event AND run_id IN (SELECT run_id FROM chosen)
)
SELECT
    found.run_id,
    found.kind,
    found.event_id,
    source_files.path,
    found.part,
    found.line,
    found.record,
    found.attributes
FROM found
LEFT JOIN source_files ON source_files.file_id = found.file_id
ORDER BY found.run_id, found.kind, found.line
