-- `seq`: one numbering over all kinds of a run, the same whatever the order of the lines was.
-- A run whose records carry an order is numbered by it; else by time, records without one following the record
-- before them in their file; else by position. Where every record carries the order, what is equal in it is told
-- apart by kind and content, never by place; where some do not, by place.
CREATE OR REPLACE TEMP TABLE ordering AS
WITH entries AS (
    -- A step that was never reached comes after everything that happened.
    SELECT 'spans' AS kind, run_id, span_id AS entry,
           coalesce(recorded_seq, CASE WHEN status = 'not_reached' THEN 9223372036854775807 END) AS recorded_seq, started_at AS happened, position, file_id, 1 AS rank,
           step_index AS step, -epoch_us(ended_at) AS tie_number, NULL AS tie_text FROM spans
    UNION ALL
    SELECT 'context_sets', run_id, event_id, recorded_seq, occurred_at, position, file_id, 2, NULL, NULL, step_id
    FROM context_sets
    UNION ALL
    SELECT 'events', run_id, event_id, recorded_seq, occurred_at, position, file_id, 3, step_index, NULL, kind
    FROM events
    UNION ALL
    SELECT 'delegations', run_id, event_id, recorded_seq, occurred_at, position, file_id, 4, hop_count, NULL, task_id
    FROM delegations
    UNION ALL
    SELECT 'task_owners', run_id, event_id, recorded_seq, coalesce(occurred_at, since), position, file_id, 4, NULL, NULL, task_id
    FROM task_owners
    UNION ALL
    SELECT 'waits', run_id, event_id, recorded_seq, coalesce(occurred_at, since), position, file_id, 4, NULL, NULL, waiter
    FROM waits
    UNION ALL
    SELECT 'guardrail_events', run_id, event_id, recorded_seq, occurred_at, position, file_id, 5, step_index, NULL, level
    FROM guardrail_events
    UNION ALL
    SELECT 'error_events', run_id, event_id, recorded_seq, occurred_at, position, file_id, 6, step_index, NULL, level
    FROM error_events
    UNION ALL
    SELECT 'diagnoses', run_id, diagnosis_id, recorded_seq, occurred_at, position, file_id, 7, NULL, NULL, for_event
    FROM diagnoses
    UNION ALL
    SELECT 'recovery_events', run_id, event_id, recorded_seq, occurred_at, position, file_id, 8, NULL, NULL, chain
    FROM recovery_events
    UNION ALL
    SELECT 'context_ops', run_id, event_id, recorded_seq, occurred_at, position, file_id, 9, trigger_no, NULL, op
    FROM context_ops
    UNION ALL
    SELECT 'handoffs', run_id, event_id, recorded_seq, occurred_at, position, file_id, 10, bounce, NULL, from_agent
    FROM handoffs
    UNION ALL
    SELECT 'replays', run_id, event_id, recorded_seq, occurred_at, position, file_id, 11, NULL, NULL, dimension
    FROM replays
    UNION ALL
    SELECT 'reported_metrics', run_id, event_id, recorded_seq, occurred_at, position, file_id, 12, NULL, NULL, chain
    FROM reported_metrics
),
modes AS (
    SELECT run_id,
           CASE WHEN bool_and(recorded_seq IS NOT NULL) THEN 'seq'
                WHEN bool_or(happened IS NOT NULL) THEN 'time'
                WHEN bool_or(recorded_seq IS NOT NULL) THEN 'seq'
                ELSE 'position' END AS mode,
           NOT (bool_and(recorded_seq IS NOT NULL) OR bool_and(happened IS NOT NULL)) AS needs_position
    FROM entries GROUP BY run_id
),
keyed AS (
    SELECT entries.*, mode,
           CASE mode WHEN 'seq' THEN coalesce(recorded_seq, last_value(recorded_seq IGNORE NULLS) OVER before) END AS seq_key,
           CASE mode WHEN 'time' THEN coalesce(happened, last_value(happened IGNORE NULLS) OVER before) END AS time_key,
           CASE WHEN needs_position THEN path END AS path_key,
           CASE WHEN needs_position THEN position END AS position_key
    FROM entries JOIN modes USING (run_id) LEFT JOIN file_paths USING (file_id)
    WINDOW before AS (
        PARTITION BY entries.run_id, path ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
)
SELECT kind, run_id, entry,
       row_number() OVER (
           PARTITION BY run_id
           ORDER BY seq_key NULLS FIRST, time_key NULLS FIRST, path_key NULLS FIRST, position_key NULLS FIRST,
                    recorded_seq NULLS FIRST, happened, rank, step NULLS FIRST, tie_number NULLS FIRST,
                    tie_text NULLS FIRST, entry
       ) AS seq
FROM keyed;

UPDATE spans SET seq = o.seq FROM ordering o WHERE o.kind = 'spans' AND o.run_id = spans.run_id AND o.entry = span_id;
UPDATE events SET seq = o.seq
    FROM ordering o WHERE o.kind = 'events' AND o.run_id = events.run_id AND o.entry = event_id;
UPDATE context_sets SET seq = o.seq FROM ordering o
WHERE o.kind = 'context_sets' AND o.run_id = context_sets.run_id AND o.entry = event_id;
UPDATE delegations SET seq = o.seq FROM ordering o
WHERE o.kind = 'delegations' AND o.run_id = delegations.run_id AND o.entry = event_id;
UPDATE task_owners SET seq = o.seq FROM ordering o
WHERE o.kind = 'task_owners' AND o.run_id = task_owners.run_id AND o.entry = event_id;
UPDATE waits SET seq = o.seq FROM ordering o WHERE o.kind = 'waits' AND o.run_id = waits.run_id AND o.entry = event_id;
UPDATE guardrail_events SET seq = o.seq FROM ordering o
WHERE o.kind = 'guardrail_events' AND o.run_id = guardrail_events.run_id AND o.entry = event_id;
UPDATE error_events SET seq = o.seq FROM ordering o
WHERE o.kind = 'error_events' AND o.run_id = error_events.run_id AND o.entry = event_id;
UPDATE diagnoses SET seq = o.seq FROM ordering o
WHERE o.kind = 'diagnoses' AND o.run_id = diagnoses.run_id AND o.entry = diagnosis_id;
UPDATE recovery_events SET seq = o.seq FROM ordering o
WHERE o.kind = 'recovery_events' AND o.run_id = recovery_events.run_id AND o.entry = event_id;
UPDATE context_ops SET seq = o.seq FROM ordering o
WHERE o.kind = 'context_ops' AND o.run_id = context_ops.run_id AND o.entry = event_id;
UPDATE handoffs SET seq = o.seq FROM ordering o
WHERE o.kind = 'handoffs' AND o.run_id = handoffs.run_id AND o.entry = event_id;
UPDATE replays SET seq = o.seq FROM ordering o
WHERE o.kind = 'replays' AND o.run_id = replays.run_id AND o.entry = event_id;
UPDATE reported_metrics SET seq = o.seq FROM ordering o
WHERE o.kind = 'reported_metrics' AND o.run_id = reported_metrics.run_id AND o.entry = event_id;
DROP TABLE ordering;
