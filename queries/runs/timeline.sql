-- Everything that happened in one run (by run_id, else by native_id), in causal order: seq is one numbering over all
-- kinds. A time is given only where the run has a wall clock: the order of the others is real, their times are not.
-- `matching` counts the events that pass $kinds, also those beyond $limit.
WITH
-- include ../_one_run.sql
,
happened AS (
    SELECT
        run_id,
        seq,
        started_at AS occurred_at,
        'span' AS kind,
        agent,
        phase,
        CAST(NULL AS VARCHAR) AS level,
        coalesce(name, kind) AS name,
        status AS outcome,
        concat_ws(' · ', kind, name, tool, model) AS summary,
        span_id AS event_id,
        span_id
    FROM spans
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'event' AS kind,
        agent,
        phase,
        CAST(NULL AS VARCHAR) AS level,
        coalesce(kind, name) AS name,
        CAST(NULL AS VARCHAR) AS outcome,
        coalesce(summary, name, kind) AS summary,
        event_id,
        span_id
    FROM events
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'error' AS kind,
        agent,
        phase,
        level,
        coalesce(type, error_code, agent_error_code, failure_class) AS name,
        result AS outcome,
        concat_ws(' · ', coalesce(error_code, agent_error_code), failure_class, details) AS summary,
        event_id,
        span_id
    FROM error_events
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'recovery' AS kind,
        CAST(NULL AS VARCHAR) AS agent,
        CAST(NULL AS VARCHAR) AS phase,
        CAST(NULL AS VARCHAR) AS level,
        coalesce('chain ' || chain, chain_recorded, 'recovery') AS name,
        outcome,
        concat_ws(' · ', trigger, 'confidence ' || confidence, CASE WHEN auto_executed THEN 'automatic' END) AS summary,
        event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM recovery_events
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'guardrail' AS kind,
        agent,
        CAST(NULL AS VARCHAR) AS phase,
        level,
        coalesce(decision, action) AS name,
        coalesce(result, decision) AS outcome,
        concat_ws(' · ', trigger, reason_code, details) AS summary,
        event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM guardrail_events
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'context set' AS kind,
        agent,
        phase,
        CAST(NULL AS VARCHAR) AS level,
        set_name AS name,
        CAST(NULL AS VARCHAR) AS outcome,
        concat_ws(' ', items, 'items, step', step_id) AS summary,
        event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM context_sets
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'context operation' AS kind,
        agent,
        CAST(NULL AS VARCHAR) AS phase,
        CAST(NULL AS VARCHAR) AS level,
        op AS name,
        CASE WHEN escalated THEN 'escalated' END AS outcome,
        concat_ws(' · ', 'trigger ' || trigger_no, details) AS summary,
        event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM context_ops
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'diagnosis' AS kind,
        CAST(NULL AS VARCHAR) AS agent,
        CAST(NULL AS VARCHAR) AS phase,
        CAST(NULL AS VARCHAR) AS level,
        coalesce(context_failure_class, 'diagnosis') AS name,
        status AS outcome,
        concat_ws(' · ', 'observed at ' || observed_at, 'originated at ' || originated_at, root_cause) AS summary,
        diagnosis_id AS event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM diagnoses
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'delegation' AS kind,
        from_agent AS agent,
        CAST(NULL AS VARCHAR) AS phase,
        CAST(NULL AS VARCHAR) AS level,
        task_id AS name,
        CASE WHEN denied THEN 'denied' END AS outcome,
        concat_ws(' → ', from_agent, to_agent) AS summary,
        event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM delegations
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        coalesce(occurred_at, since) AS occurred_at,
        'wait' AS kind,
        waiter AS agent,
        CAST(NULL AS VARCHAR) AS phase,
        CAST(NULL AS VARCHAR) AS level,
        waits_for AS name,
        CASE WHEN until IS NULL THEN 'open' END AS outcome,
        concat_ws(' ', waiter, 'waits for', holder) AS summary,
        event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM waits
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'handoff' AS kind,
        from_agent AS agent,
        CAST(NULL AS VARCHAR) AS phase,
        CAST(NULL AS VARCHAR) AS level,
        'condition ' || condition AS name,
        status AS outcome,
        concat_ws(' · ', concat_ws(' → ', from_agent, to_agent), details) AS summary,
        event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM handoffs
    WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        seq,
        occurred_at,
        'replay' AS kind,
        CAST(NULL AS VARCHAR) AS agent,
        CAST(NULL AS VARCHAR) AS phase,
        CAST(NULL AS VARCHAR) AS level,
        coalesce(dimension, 'verdict') AS name,
        verdict AS outcome,
        concat_ws(' · ', 'expected ' || left(expected, 120), 'observed ' || left(observed, 120)) AS summary,
        event_id,
        CAST(NULL AS VARCHAR) AS span_id
    FROM replays
    WHERE run_id IN (SELECT run_id FROM chosen)
)
SELECT
    happened.run_id,
    happened.seq,
    CASE WHEN chosen.clock = 'wall' THEN happened.occurred_at END AS occurred_at,
    happened.kind,
    happened.agent,
    happened.phase,
    happened.level,
    happened.name,
    happened.outcome,
    left(happened.summary, 500) AS summary,
    happened.event_id,
    happened.span_id,
    count(*) OVER () AS matching
FROM happened
JOIN chosen ON chosen.run_id = happened.run_id
WHERE $kinds IS NULL OR list_contains(string_split($kinds, ','), happened.kind)
ORDER BY happened.run_id, happened.seq NULLS LAST, happened.kind, happened.event_id
LIMIT $limit OFFSET $offset
