-- rule: failure-as-veto
-- severity: error
-- statement: An execution failure is written as a veto in FINALIZE or the final result. Not read from an ABORTED entry.
-- needs: how the run with the veto ended (termination reason, stage errors, trace path)
-- advice: Treat the run as failed, not judged: repair the execution and run again.
-- when: events WHERE kind = 'decision' AND lower(name) = 'veto'
WITH written AS (
    SELECT v.run_id, v.event_id, v.has_artifact,
           coalesce(v.termination_reason, json_extract_string(s.attributes, '$.termination_reason'),
                    json_extract_string(r.attributes, '$.header_termination_reason')) AS ended,
           TRY_CAST(json_extract_string(s.attributes, '$.output.confidence') AS DOUBLE) AS confidence,
           len(json_extract(s.attributes, '$.output.artifacts.*.error')) > 0
               OR json_extract_string(s.attributes, '$.output.artifacts.error') IS NOT NULL AS has_error,
           json_extract(r.attributes, '$.final_result.trace_path') = 'null'::JSON AS has_no_trace
    FROM vetoes v JOIN runs r USING (run_id) LEFT JOIN spans s ON s.run_id = v.run_id AND s.span_id = v.span_id
    WHERE v.written_as = 'decision' AND v.phase = 'FINALIZE'
)
SELECT run_id, event_id,
       CASE WHEN coalesce(ended = 'failure', false) OR coalesce(has_error, false) OR coalesce(has_no_trace, false) THEN true
            WHEN has_artifact THEN false
            WHEN ended IS NULL OR ended = 'completed' AND confidence = 0 THEN NULL
            ELSE false END AS violated,
       'an execution failure is written as a veto: ' || concat_ws(', ', CASE WHEN ended = 'failure' THEN 'termination reason failure' END,
           CASE WHEN has_error THEN 'a stage holds an error' END, CASE WHEN has_no_trace THEN 'no trace was written' END) AS message,
       json_object('termination_reason', ended, 'stage_error', has_error, 'trace_path_null', has_no_trace, 'confidence', confidence)
           AS evidence
FROM written
