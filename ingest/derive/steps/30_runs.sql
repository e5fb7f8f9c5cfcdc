-- `runs`: what follows from all records of a run. A recorded outcome decides; where none is recorded, the last
-- record that says one does; else the outcome is unknown, and says so.
DELETE FROM runs;
INSERT INTO runs BY NAME
WITH ranked AS (
    SELECT run_records.*, row_number() OVER (
        PARTITION BY run_id
        ORDER BY event_id = 'implied', status IS NULL, status = 'running', identity <> 'recorded',
                 ended_at DESC NULLS LAST, occurred_at DESC NULLS LAST, recorded_seq DESC NULLS LAST, event_id
    ) AS rank
    FROM run_records
),
said AS (
    SELECT run_id, arg_min(source, rank) AS source, arg_min(native_id, rank) AS native_id,
           arg_min(identity, rank) AS identity, arg_min(event_digest, rank) AS event_digest,
           arg_min(workload, rank) AS workload, arg_min(tenant, rank) AS tenant, arg_min(name, rank) AS name,
           arg_min(status, rank) AS status, arg_min(status_reason, rank) FILTER (status IS NOT NULL) AS status_reason,
           arg_min(stop_reason, rank) AS stop_reason, arg_min(state_at_failure, rank) AS state_at_failure,
           arg_min(contract_class, rank) AS contract_class, arg_min(clock, rank) AS clock,
           arg_min(parent_run_id, rank) AS parent_run_id, arg_min(session_id, rank) AS session_id,
           min(started_at) AS started_at, max(ended_at) AS ended_at,
           arg_min(flags, rank) AS flags, arg_min(attributes, rank) AS attributes,
           arg_min(file_id, rank) AS file_id, arg_min(line, rank) AS line
    FROM ranked GROUP BY run_id
),
outcomes AS (
    SELECT run_id, seq, CASE WHEN level = 'L5' OR result = 'ABORTED' THEN 'aborted'
                             WHEN result = 'ESCALATED' THEN 'escalated' END AS outcome,
           concat_ws(' ', 'error event', event_id, 'says', CASE WHEN level = 'L5' THEN 'level L5' ELSE 'Result ' || result END)
               AS reason
    FROM error_events
    UNION ALL
    SELECT run_id, seq, CASE outcome WHEN 'ABORTED' THEN 'aborted' WHEN 'ESCALATED' THEN 'escalated' END,
           concat_ws(' ', 'recovery event', event_id, 'says outcome', outcome)
    FROM recovery_events
    UNION ALL
    SELECT run_id, seq, CASE WHEN action = 'ABORT' OR upper(result) = 'ABORTED' THEN 'aborted'
                             WHEN upper(result) = 'ESCALATED' THEN 'escalated' END,
           concat_ws(' ', 'guardrail event', event_id, 'says', CASE WHEN action = 'ABORT' THEN 'Action ABORT'
                                                                    ELSE 'Result ' || result END)
    FROM guardrail_events
    UNION ALL
    SELECT run_id, seq,
           CASE WHEN json_extract_string(attributes, '$.status') = 'FAILED' THEN 'failed'
                WHEN json_extract_string(attributes, '$.status') = 'SUCCESS'
                     AND ('DONE' = upper(json_extract_string(attributes, '$.next')) OR upper(phase) = 'DELIVER')
                THEN 'succeeded' END,
           concat_ws(' ', '_STEP_COMPLETE', event_id, 'says', json_extract_string(attributes, '$.status'))
    FROM events WHERE kind = 'step_complete'
    UNION ALL
    -- A session that the user interrupted and that never went on.
    SELECT run_id, seq, 'interrupted', concat_ws(' ', 'interruption', event_id, 'and nothing of the model after it')
    FROM events
    WHERE kind = 'interruption' AND NOT EXISTS (
        SELECT 1 FROM spans WHERE spans.run_id = events.run_id AND spans.seq > events.seq)
),
last_said AS (
    SELECT run_id, arg_max(outcome, seq) AS outcome, arg_max(reason, seq) AS reason
    FROM outcomes WHERE outcome IS NOT NULL GROUP BY run_id
),
times AS (
    SELECT run_id, min(happened) AS first_at, max(happened) AS last_at FROM (
        SELECT run_id, started_at AS happened FROM spans UNION ALL SELECT run_id, ended_at FROM spans
        UNION ALL SELECT run_id, occurred_at FROM events
        UNION ALL SELECT run_id, occurred_at FROM error_events
        UNION ALL SELECT run_id, occurred_at FROM recovery_events
        UNION ALL SELECT run_id, occurred_at FROM guardrail_events
    ) GROUP BY run_id
),
span_counts AS (SELECT run_id, count(*) AS n FROM spans GROUP BY run_id),
event_counts AS (SELECT run_id, count(*) AS n FROM events GROUP BY run_id),
error_counts AS (SELECT run_id, count(*) AS n FROM error_events GROUP BY run_id),
recovery_counts AS (SELECT run_id, count(*) AS n FROM recovery_events GROUP BY run_id)
SELECT said.run_id, source, native_id, coalesce(workload, 'default') AS workload, tenant, name,
       coalesce(status, outcome, 'unknown') AS status,
       coalesce(CASE WHEN status IS NOT NULL THEN status_reason END, reason, 'no record says how the run ended')
           AS status_reason,
       stop_reason, state_at_failure, contract_class,
       coalesce(started_at, first_at) AS started_at,
       CASE WHEN coalesce(status, outcome, 'unknown') NOT IN ('running', 'unknown') THEN coalesce(ended_at, last_at)
            ELSE ended_at END AS ended_at,
       coalesce(clock, CASE WHEN coalesce(started_at, ended_at, first_at) IS NOT NULL THEN 'wall' ELSE 'none' END) AS clock,
       parent_run_id, session_id, identity, event_digest,
       coalesce(span_counts.n, 0) AS spans, coalesce(event_counts.n, 0) AS events,
       coalesce(error_counts.n, 0) AS errors, coalesce(recovery_counts.n, 0) AS recoveries,
       flags, attributes, file_id, line
FROM said
LEFT JOIN last_said USING (run_id)
LEFT JOIN times USING (run_id)
LEFT JOIN span_counts USING (run_id)
LEFT JOIN event_counts USING (run_id)
LEFT JOIN error_counts USING (run_id)
LEFT JOIN recovery_counts USING (run_id);
