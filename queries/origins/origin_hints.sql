-- A hint that a failure originated elsewhere than it was reported: one line of the misattribution table that a record of the
-- run matches, with that record. A hint names a usual place and is no finding: it says where to look next.
WITH
-- include ../_chosen.sql
,
symptoms (symptom, reported_at, usually_originates_in) AS (
    VALUES
    ('superseded command or API repeated', 'EXECUTE', 'stale instruction or memory'),
    ('edits land outside the intended area', 'AGGREGATE / review', 'scope never declared at spawn'),
    ('same correction run after run', 'VERIFY', 'acceptance criteria absent or unmeasurable at CLASSIFY'),
    ('diff far larger than the task', 'review', 'non-goals unstated, write scope unbounded'),
    ('a step passes but the result is wrong', 'VERIFY', 'the check is not independent of the producer'),
    ('only the delegated or background run fails', 'EXECUTE', 'environment or context parity')
),
repeated AS (
    SELECT
        hints.record_id,
        count(DISTINCT hints.run_id) AS runs
    FROM hints
    JOIN chosen ON chosen.run_id = hints.run_id
    WHERE hints.symptom = 'same correction run after run'
    GROUP BY hints.record_id
    HAVING count(DISTINCT hints.run_id) > 1
),
parents AS (
    SELECT chosen.run_id, chosen.status, parents.run_id AS parent, parents.status AS parent_status
    FROM chosen
    JOIN runs AS parents ON parents.run_id = chosen.parent_run_id
    UNION
    SELECT chosen.run_id, chosen.status, parents.run_id, parents.status
    FROM chosen
    JOIN runs AS parents ON parents.native_id = chosen.parent_run_id
),
met (run_id, event_id, symptom, record_kind, record_id, evidence) AS (
    SELECT hints.run_id, hints.event_id, hints.symptom, hints.record_kind, hints.record_id,
        coalesce(hints.evidence, concat_ws(' ', 'signature', hints.record_id, 'was met at VERIFY in', repeated.runs, 'runs'))
    FROM hints
    LEFT JOIN repeated ON repeated.record_id = hints.record_id AND hints.symptom = 'same correction run after run'
    WHERE hints.symptom <> 'same correction run after run' OR repeated.runs IS NOT NULL
    UNION ALL
    SELECT run_id, (
            SELECT arg_max(error_events.event_id, error_events.seq) FROM error_events
            WHERE error_events.run_id = parents.run_id
        ), 'only the delegated or background run fails', 'run', parent,
        concat_ws(' ', 'the run', status || ', its parent', parent, parent_status)
    FROM parents
    WHERE status IN ('failed', 'aborted') AND parent_status = 'succeeded'
)
SELECT
    met.run_id,
    met.event_id,
    met.symptom,
    symptoms.reported_at,
    symptoms.usually_originates_in,
    met.record_kind,
    met.record_id,
    met.evidence,
    chosen.workload,
    chosen.run_name,
    count(*) OVER () AS matching
FROM met
JOIN symptoms ON symptoms.symptom = met.symptom
JOIN chosen ON chosen.run_id = met.run_id
ORDER BY chosen.started_at DESC NULLS LAST, met.run_id, met.event_id NULLS LAST, met.symptom, met.record_id
LIMIT $limit OFFSET $offset
