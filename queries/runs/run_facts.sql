-- What is known of one run (by run_id, else by native_id; several where sources share a native id). Times and
-- duration only where the run has a wall clock.
WITH asked AS (
    SELECT run_id
    FROM runs
    WHERE run_id = $run
       OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run))
),
entries AS (
    SELECT run_id, 'events' AS kind FROM events
    UNION ALL
    SELECT run_id, 'guardrail_events' AS kind FROM guardrail_events
    UNION ALL
    SELECT run_id, 'context_sets' AS kind FROM context_sets
    UNION ALL
    SELECT run_id, 'context_ops' AS kind FROM context_ops
    UNION ALL
    SELECT run_id, 'diagnoses' AS kind FROM diagnoses
    UNION ALL
    SELECT run_id, 'delegations' AS kind FROM delegations
    UNION ALL
    SELECT run_id, 'waits' AS kind FROM waits
    UNION ALL
    SELECT run_id, 'handoffs' AS kind FROM handoffs
    UNION ALL
    SELECT run_id, 'replays' AS kind FROM replays
),
counted AS (
    SELECT
        run_id,
        count(*) FILTER (kind = 'events') AS events,
        count(*) FILTER (kind = 'guardrail_events') AS guardrails,
        count(*) FILTER (kind = 'context_sets') AS context_sets,
        count(*) FILTER (kind = 'context_ops') AS context_ops,
        count(*) FILTER (kind = 'diagnoses') AS diagnoses,
        count(*) FILTER (kind = 'delegations') AS delegations,
        count(*) FILTER (kind = 'waits') AS waits,
        count(*) FILTER (kind = 'handoffs') AS handoffs,
        count(*) FILTER (kind = 'replays') AS replays
    FROM entries
    WHERE run_id IN (SELECT run_id FROM asked)
    GROUP BY run_id
)
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
    coalesce(counted.events, 0) AS events,
    coalesce(runs.errors, 0) AS errors,
    coalesce(runs.recoveries, 0) AS recoveries,
    coalesce(counted.guardrails, 0) AS guardrails,
    coalesce(counted.context_sets, 0) AS context_sets,
    coalesce(counted.context_ops, 0) AS context_ops,
    coalesce(counted.diagnoses, 0) AS diagnoses,
    coalesce(counted.delegations, 0) AS delegations,
    coalesce(counted.waits, 0) AS waits,
    coalesce(counted.handoffs, 0) AS handoffs,
    coalesce(counted.replays, 0) AS replays,
    CAST(runs.attributes AS VARCHAR) AS attributes
FROM runs
LEFT JOIN counted ON counted.run_id = runs.run_id
LEFT JOIN failure_states ON failure_states.state_at_failure = runs.state_at_failure
LEFT JOIN contract_classes ON contract_classes.contract_class = runs.contract_class
LEFT JOIN source_files ON source_files.file_id = runs.file_id
WHERE runs.run_id IN (SELECT asked.run_id FROM asked)
ORDER BY runs.run_id
