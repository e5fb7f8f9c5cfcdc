-- rule: capture-escalated
-- severity: error
-- statement: An L0 capture is escalated past L0 on empty stdout or exit code alone, or counted as failure.
-- needs: the state of the artifact and what the transcript or log shows
-- advice: One typed retry with the repair directive. Exit code and empty stdout decide nothing on that path.
-- when: error_events WHERE level = 'L0' OR artifact_state IS NOT NULL
WITH states AS (
    SELECT *, lower(coalesce(json_extract_string(attributes, '$.transcript'), json_extract_string(attributes, '$.transcript_state')))
               AS transcript,
           regexp_matches(lower(artifact_state), '\b(missing|empty|absent|none)\b')
               AND NOT regexp_matches(lower(artifact_state), 'non-?empty|not empty|\bpresent\b') AS nothing_captured
    FROM error_events
),
captures AS (
    SELECT run_id, event_id, seq, step_index, level, type, tool_error_class, failure_class, result, artifact_state, exit_code,
           transcript, regexp_matches(transcript, 'content|model|non-?empty|present|output')
               AND NOT regexp_matches(transcript, '\b(no|not|without|empty|missing|absent|none)\b[^.;,]{0,20}\b(content|model|present|output)')
               AS shows_content,
           lower(coalesce(json_extract_string(attributes, '$.log'), json_extract_string(attributes, '$.log_state'))) AS log
    FROM states WHERE level = 'L0' OR nothing_captured
),
escalated AS (
    SELECT c.*,
           later.event_id AS later_id, CASE WHEN later.step_index = c.step_index THEN later.event_id END AS escalated_by
    FROM captures c LEFT JOIN (
        SELECT c.run_id, c.event_id AS of_event, arg_min(n.event_id, n.seq) AS event_id, arg_min(n.step_index, n.seq) AS step_index
        FROM captures c JOIN states n ON n.run_id = c.run_id AND n.seq > c.seq
        WHERE c.level = 'L0' AND n.level IN ('L1', 'L2', 'L3', 'L4', 'L5') AND n.exit_code IS NOT NULL
          -- Without a step nobody knows whether it is the same one; an artifact that is there was judged by its content.
          AND coalesce(n.step_index = c.step_index, true) AND coalesce(n.nothing_captured, true)
          AND n.transcript IS NULL AND json_extract(n.attributes, '$.log') IS NULL
        GROUP BY c.run_id, c.event_id
    ) later ON later.run_id = c.run_id AND later.of_event = c.event_id
)
SELECT run_id, event_id,
       CASE WHEN level = 'L0' AND (coalesce(result = 'ESCALATED', false) OR escalated_by IS NOT NULL
                                   OR failure_class IS NOT NULL OR coalesce(tool_error_class = 'execution', false)) THEN true
            WHEN level = 'L0' THEN CASE WHEN later_id IS NULL THEN false END
            WHEN level IS NULL THEN NULL
            WHEN shows_content THEN true
            WHEN transcript IS NOT NULL OR log IS NOT NULL THEN false
            END AS violated,
       CASE WHEN level <> 'L0' THEN 'level ' || level || ' for a capture failure: the transcript shows model content'
            WHEN failure_class IS NOT NULL OR coalesce(tool_error_class = 'execution', false) THEN 'a capture failure is counted as '
                || coalesce(failure_class, tool_error_class)
            ELSE 'a capture failure was escalated' || coalesce(' by event ' || escalated_by, '') END AS message,
       json_object('level', level, 'artifact_state', artifact_state, 'exit_code', exit_code, 'transcript', transcript, 'log', log,
                   'escalated_by', escalated_by) AS evidence
FROM escalated
