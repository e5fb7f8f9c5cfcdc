-- `runs`: what follows from all records of a run. A recorded outcome decides; where none is recorded, the last
-- record that says one does; else the outcome is unknown, and says so.
INSERT INTO runs BY NAME
WITH
-- arm: run_records HAVING count(*) = count(DISTINCT run_id)
said AS (SELECT * EXCLUDE (recorded_seq, position) FROM run_records),
-- end
-- arm: run_records HAVING count(*) > count(DISTINCT run_id)
ranked AS (
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
-- end
outcomes AS (
    SELECT run_id, seq, CASE WHEN level = 'L5' OR result = 'ABORTED' THEN 'aborted'
                             WHEN result = 'ESCALATED' THEN 'escalated' END AS outcome,
           concat_ws(' ', 'error event', event_id, 'says', CASE WHEN level = 'L5' THEN 'level L5' ELSE 'Result ' || result END)
               AS reason
    FROM error_events
    -- arm: recovery_events
    UNION ALL
    SELECT run_id, seq, CASE outcome WHEN 'ABORTED' THEN 'aborted' WHEN 'ESCALATED' THEN 'escalated' END,
           concat_ws(' ', 'recovery event', event_id, 'says outcome', outcome)
    FROM recovery_events
    -- end
    -- arm: guardrail_events
    UNION ALL
    SELECT run_id, seq, CASE WHEN action = 'ABORT' OR upper(result) = 'ABORTED' THEN 'aborted'
                             WHEN upper(result) = 'ESCALATED' THEN 'escalated' END,
           concat_ws(' ', 'guardrail event', event_id, 'says', CASE WHEN action = 'ABORT' THEN 'Action ABORT'
                                                                    ELSE 'Result ' || result END)
    FROM guardrail_events
    -- end
    -- arm: events
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
    -- end
),
last_said AS (
    SELECT run_id, arg_max(outcome, seq) AS outcome, arg_max(reason, seq) AS reason
    FROM outcomes WHERE outcome IS NOT NULL GROUP BY run_id
),
facts AS (
    SELECT run_id, min(first_at) AS first_at, max(last_at) AS last_at, sum(spans) AS spans, sum(events) AS events,
           sum(errors) AS errors, sum(recoveries) AS recoveries
    FROM (
        SELECT run_id, min(occurred_at) AS first_at, max(occurred_at) AS last_at, 0 AS spans, 0 AS events,
               count(*) AS errors, 0 AS recoveries
        FROM error_events GROUP BY run_id
        -- arm: spans
        UNION ALL
        SELECT run_id, least(min(started_at), min(ended_at)), greatest(max(started_at), max(ended_at)), count(*), 0, 0, 0
        FROM spans GROUP BY run_id
        -- end
        -- arm: events
        UNION ALL
        SELECT run_id, min(occurred_at), max(occurred_at), 0, count(*), 0, 0 FROM events GROUP BY run_id
        -- end
        -- arm: recovery_events
        UNION ALL
        SELECT run_id, min(occurred_at), max(occurred_at), 0, 0, 0, count(*) FROM recovery_events GROUP BY run_id
        -- end
        -- arm: guardrail_events
        UNION ALL
        SELECT run_id, min(occurred_at), max(occurred_at), 0, 0, 0, 0 FROM guardrail_events GROUP BY run_id
        -- end
    ) GROUP BY run_id
)
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
       coalesce(spans, 0) AS spans, coalesce(events, 0) AS events, coalesce(errors, 0) AS errors,
       coalesce(recoveries, 0) AS recoveries,
       flags, attributes, file_id, line
FROM said
LEFT JOIN last_said USING (run_id)
LEFT JOIN facts USING (run_id);
