-- Records of a run by kind and basis, and what was rejected or skipped in the files that it came from; a file that has
-- grown since is the same file.
WITH
-- include ../_one_run.sql
,
kinds AS (
    SELECT run_id, file_id, 'run records' AS what FROM run_records WHERE event_id <> 'implied'
    UNION ALL SELECT run_id, file_id, 'spans' FROM spans
    UNION ALL SELECT run_id, file_id, 'events' FROM events
    UNION ALL SELECT run_id, file_id, 'error events, ' || basis FROM error_events
    UNION ALL SELECT run_id, file_id, 'recovery events, ' || basis FROM recovery_events
    UNION ALL SELECT run_id, file_id, 'guardrail events' FROM guardrail_events
    UNION ALL SELECT run_id, file_id, 'context sets, ' || basis FROM context_sets
    UNION ALL SELECT run_id, file_id, 'context operations' FROM context_ops
    UNION ALL SELECT run_id, file_id, 'diagnoses, ' || basis FROM diagnoses
    UNION ALL SELECT run_id, file_id, 'delegations' FROM delegations
    UNION ALL SELECT run_id, file_id, 'waits' FROM waits
    UNION ALL SELECT run_id, file_id, 'task owners' FROM task_owners
    UNION ALL SELECT run_id, file_id, 'handoffs' FROM handoffs
    UNION ALL SELECT run_id, file_id, 'replay differences' FROM replays
    UNION ALL SELECT run_id, file_id, 'reported metrics' FROM reported_metrics
),
of_run AS (
    SELECT kinds.run_id, kinds.file_id, kinds.what FROM kinds JOIN chosen USING (run_id)
),
files AS (
    SELECT DISTINCT versions.file_id
    FROM source_files
    JOIN source_files AS versions ON versions.path = source_files.path
    WHERE source_files.file_id IN (SELECT file_id FROM of_run)
),
verdicts AS (
    SELECT 'counted' AS verdict, what, count(*) AS records FROM of_run GROUP BY what
    UNION ALL
    SELECT 'rejected', 'in the same files: ' || reason, count(*)
    FROM rejections WHERE file_id IN (SELECT file_id FROM files) GROUP BY reason
    UNION ALL
    SELECT 'skipped', 'in the same files: ' || reason, CAST(sum(skipped_records.records) AS BIGINT)
    FROM skipped_records WHERE file_id IN (SELECT file_id FROM files) GROUP BY reason
)
SELECT
    verdict,
    what,
    records
FROM verdicts
ORDER BY verdict, what
