-- The failures of one run in order, with their classes and what each class allows. `seen_in_runs` counts the runs of
-- the store with the same full signature; a partial one is not counted.
WITH
-- include ../_one_run.sql
,
signatures AS (
    SELECT
        signature,
        count(DISTINCT run_id) AS runs
    FROM error_events
    WHERE signature IN (SELECT signature FROM error_events WHERE run_id IN (SELECT run_id FROM chosen))
      AND NOT coalesce(signature_partial, false)
    GROUP BY signature
)
SELECT
    error_events.run_id,
    error_events.event_id,
    error_events.seq,
    error_events.span_id,
    CASE WHEN chosen.clock = 'wall' THEN error_events.occurred_at END AS occurred_at,
    error_events.level,
    error_events.type,
    error_events.error_code,
    error_events.agent_error_code,
    error_events.transient,
    error_events.tool_error_class,
    error_events.context_failure_class,
    error_events.failure_class,
    error_events.category,
    error_events.recoverable,
    failure_profiles.category AS profile_category,
    failure_profiles.retryable,
    failure_profiles.replayable,
    error_events.contract_class,
    error_events.contract_class_basis,
    contract_classes.operator_response,
    error_events.phase,
    error_events.agent,
    error_events.step_index,
    error_events.location,
    error_events.details,
    error_events.action,
    error_events.result,
    error_events.observed_at,
    error_events.originated_at,
    error_events.signature,
    error_events.signature_partial,
    signatures.runs AS seen_in_runs,
    error_events.basis,
    error_events.rule,
    error_events.flags,
    count(*) OVER () AS matching
FROM error_events
JOIN chosen ON chosen.run_id = error_events.run_id
LEFT JOIN failure_profiles ON failure_profiles.failure_class = error_events.failure_class
LEFT JOIN contract_classes ON contract_classes.contract_class = error_events.contract_class
LEFT JOIN signatures ON signatures.signature = error_events.signature
ORDER BY error_events.run_id, error_events.seq NULLS LAST, error_events.event_id
LIMIT $limit
