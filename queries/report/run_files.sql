-- A file with records of one run, by the digest of its bytes, with how many of the run's records came from it.
WITH
-- include ../_one_run.sql
,
stored AS (
    SELECT file_id, line FROM run_records WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM spans WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM error_events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM recovery_events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM guardrail_events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM context_sets WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM context_ops WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM diagnoses WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM delegations WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM waits WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM task_owners WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM handoffs WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM replays WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT file_id, line FROM reported_metrics WHERE run_id IN (SELECT run_id FROM chosen)
)
SELECT
    stored.file_id,
    any_value(source_files.path) AS path,
    any_value(source_files.format) AS format,
    any_value(source_files.adapter_version) AS adapter_version,
    any_value(source_files.bytes) AS bytes,
    count(*) AS records,
    min(stored.line) AS first_line,
    max(stored.line) AS last_line
FROM stored
LEFT JOIN source_files ON source_files.file_id = stored.file_id
WHERE stored.file_id IS NOT NULL
GROUP BY stored.file_id
ORDER BY path, stored.file_id
