-- rule: capture-escalated
-- severity: error
-- statement: An L0 capture is escalated past L0 on empty stdout or exit code alone, or counted as failure.
-- needs: the state of the artifact and what the transcript or log shows
-- advice: One typed retry with the repair directive. Exit code and empty stdout decide nothing on that path.
-- tables: error_events
WITH captures AS (
    SELECT run_id, event_id, seq, step_index, level, type, tool_error_class, failure_class, result, artifact_state, exit_code,
           regexp_matches(lower(artifact_state), 'missing|empty|absent|none') AS nothing_captured,
           lower(coalesce(json_extract_string(attributes, '$.transcript'), json_extract_string(attributes, '$.transcript_state')))
               AS transcript,
           lower(coalesce(json_extract_string(attributes, '$.log'), json_extract_string(attributes, '$.log_state'))) AS log
    FROM error_events
    WHERE level = 'L0' OR regexp_matches(lower(artifact_state), 'missing|empty|absent|none')
),
escalated AS (
    SELECT c.*,
           (SELECT arg_min(n.event_id, n.seq) FROM error_events n
            WHERE c.level = 'L0' AND n.run_id = c.run_id AND n.seq > c.seq AND n.level IN ('L1', 'L2', 'L3', 'L4', 'L5')
              AND n.step_index IS NOT DISTINCT FROM c.step_index AND n.exit_code IS NOT NULL
              AND json_extract(n.attributes, '$.transcript') IS NULL AND json_extract(n.attributes, '$.log') IS NULL) AS escalated_by
    FROM captures c
)
SELECT run_id, event_id,
       CASE WHEN level = 'L0' THEN coalesce(result = 'ESCALATED', false) OR escalated_by IS NOT NULL
                                   OR failure_class IS NOT NULL OR coalesce(tool_error_class = 'execution', false)
            WHEN level IS NULL THEN NULL
            WHEN regexp_matches(transcript, 'content|model|non-?empty|present|output') THEN true
            WHEN transcript IS NOT NULL OR log IS NOT NULL THEN false
            END AS violated,
       CASE WHEN level <> 'L0' THEN 'level ' || level || ' for a capture failure: the transcript shows model content'
            WHEN failure_class IS NOT NULL OR coalesce(tool_error_class = 'execution', false) THEN 'a capture failure is counted as '
                || coalesce(failure_class, tool_error_class)
            ELSE 'a capture failure was escalated' || coalesce(' by event ' || escalated_by, '') END AS message,
       json_object('level', level, 'artifact_state', artifact_state, 'exit_code', exit_code, 'transcript', transcript, 'log', log,
                   'escalated_by', escalated_by) AS evidence
FROM escalated
