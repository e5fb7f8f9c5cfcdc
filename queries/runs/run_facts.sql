-- What is known of one run (by run_id, else by native_id; several where sources share a native id). Times and
-- duration only where the run has a wall clock.
SELECT
    runs.run_id,
    runs.source,
    runs.native_id,
    runs.name,
    runs.workload,
    runs.tenant,
    coalesce(runs.status, 'unknown') AS status,
    runs.status_reason,
    runs.stop_reason,
    runs.state_at_failure,
    failure_states.evidence_that_holds,
    failure_states.permitted_next_action,
    runs.contract_class,
    contract_classes.operator_response,
    runs.started_at,
    runs.ended_at,
    coalesce(runs.clock, 'none') AS clock,
    CASE
        WHEN runs.clock = 'wall' THEN date_diff('microsecond', runs.started_at, runs.ended_at) / 1e6
    END AS duration_s,
    runs.identity,
    runs.parent_run_id,
    runs.session_id,
    runs.flags,
    source_files.path,
    runs.line,
    coalesce(runs.spans, 0) AS spans,
    (SELECT count(*) FROM events WHERE run_id = runs.run_id) AS events,
    coalesce(runs.errors, 0) AS errors,
    coalesce(runs.recoveries, 0) AS recoveries,
    (SELECT count(*) FROM guardrail_events WHERE run_id = runs.run_id) AS guardrails,
    (SELECT count(*) FROM context_sets WHERE run_id = runs.run_id) AS context_sets,
    (SELECT count(*) FROM context_ops WHERE run_id = runs.run_id) AS context_ops,
    (SELECT count(*) FROM diagnoses WHERE run_id = runs.run_id) AS diagnoses,
    (SELECT count(*) FROM delegations WHERE run_id = runs.run_id) AS delegations,
    (SELECT count(*) FROM waits WHERE run_id = runs.run_id) AS waits,
    (SELECT count(*) FROM handoffs WHERE run_id = runs.run_id) AS handoffs,
    (SELECT count(*) FROM replays WHERE run_id = runs.run_id) AS replays,
    CAST(runs.attributes AS VARCHAR) AS attributes
FROM runs
LEFT JOIN failure_states ON failure_states.state_at_failure = runs.state_at_failure
LEFT JOIN contract_classes ON contract_classes.contract_class = runs.contract_class
LEFT JOIN source_files ON source_files.file_id = runs.file_id
WHERE runs.run_id = $run
   OR (runs.native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run))
ORDER BY runs.run_id
