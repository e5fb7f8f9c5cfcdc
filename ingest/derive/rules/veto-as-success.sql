-- rule: veto-as-success
-- severity: critical
-- statement: A veto or a failure artifact in the run, and a successful final result.
-- needs: a veto or failure artifact, and a final result
-- advice: A veto is a decision against the result: whatever used it has to be called back.
-- when: events WHERE kind = 'decision' AND lower(name) = 'veto'
-- when: error_events WHERE failure_class IS NOT NULL
WITH against AS (
    SELECT run_id, event_id, seq, 'veto' AS what FROM vetoes
    UNION ALL
    SELECT run_id, event_id, seq, failure_class FROM error_events WHERE failure_class IS NOT NULL
),
first_one AS (SELECT run_id, arg_min(event_id, seq) AS event_id, arg_min(what, seq) AS what FROM against GROUP BY run_id)
SELECT f.run_id, f.event_id,
       CASE WHEN lower(json_extract_string(r.attributes, '$.final_result.verdict')) IN ('pass', 'success', 'succeeded') THEN true
            WHEN r.status IN ('unknown', 'running') THEN NULL
            ELSE r.status = 'succeeded' END AS violated,
       f.what || ' is recorded, and the run''s final result is a success: ' || coalesce(r.status_reason, r.status) AS message,
       json_object('against', f.event_id, 'what', f.what, 'status', r.status,
                   'final_verdict', json_extract_string(r.attributes, '$.final_result.verdict')) AS evidence
FROM first_one f JOIN runs r USING (run_id)
