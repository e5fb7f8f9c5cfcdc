-- A step of two runs, aligned: the n-th step, error, recovery or guardrail event of the same kind, name, phase and agent in
-- each. The first row that differs is where the runs part. Durations only where a wall clock gave them.
WITH pair AS (
    SELECT
        run_id,
        'a' AS side
    FROM runs
    WHERE run_id = $run_a OR (native_id = $run_a AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run_a))
    UNION ALL
    SELECT
        run_id,
        'b' AS side
    FROM runs
    WHERE run_id = $run_b OR (native_id = $run_b AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run_b))
),
entries AS (
    -- Each run for itself: of two that lie far apart, one scan would read all that lies between.
    SELECT
        pair.side,
        spans.run_id,
        spans.seq,
        spans.span_id AS entry_id,
        'step' AS kind,
        coalesce(spans.name, spans.tool, spans.kind) AS name,
        spans.phase,
        spans.agent,
        spans.status AS outcome,
        CASE WHEN runs.clock = 'wall' THEN date_diff('microsecond', spans.started_at, spans.ended_at) / 1e6 END AS duration_s
    FROM spans
    JOIN pair ON pair.run_id = spans.run_id
    JOIN runs ON runs.run_id = spans.run_id
    WHERE pair.side = 'a'
    UNION ALL
    SELECT
        pair.side,
        spans.run_id,
        spans.seq,
        spans.span_id AS entry_id,
        'step' AS kind,
        coalesce(spans.name, spans.tool, spans.kind) AS name,
        spans.phase,
        spans.agent,
        spans.status AS outcome,
        CASE WHEN runs.clock = 'wall' THEN date_diff('microsecond', spans.started_at, spans.ended_at) / 1e6 END AS duration_s
    FROM spans
    JOIN pair ON pair.run_id = spans.run_id
    JOIN runs ON runs.run_id = spans.run_id
    WHERE pair.side = 'b'
    UNION ALL
    SELECT
        pair.side,
        error_events.run_id,
        error_events.seq,
        error_events.event_id,
        'error' AS kind,
        coalesce(error_events.error_code, error_events.type, error_events.failure_class) AS name,
        error_events.phase,
        error_events.agent,
        error_events.result AS outcome,
        NULL AS duration_s
    FROM error_events
    JOIN pair ON pair.run_id = error_events.run_id
    UNION ALL
    SELECT
        pair.side,
        recovery_events.run_id,
        recovery_events.seq,
        recovery_events.event_id,
        'recovery' AS kind,
        'chain ' || coalesce(recovery_events.chain, 'not recorded') AS name,
        NULL AS phase,
        NULL AS agent,
        recovery_events.outcome,
        NULL AS duration_s
    FROM recovery_events
    JOIN pair ON pair.run_id = recovery_events.run_id
    UNION ALL
    SELECT
        pair.side,
        guardrail_events.run_id,
        guardrail_events.seq,
        guardrail_events.event_id,
        'guardrail' AS kind,
        coalesce(guardrail_events.trigger, guardrail_events.level) AS name,
        NULL AS phase,
        guardrail_events.agent,
        coalesce(guardrail_events.decision, guardrail_events.action) AS outcome,
        NULL AS duration_s
    FROM guardrail_events
    JOIN pair ON pair.run_id = guardrail_events.run_id
),
numbered AS (
    SELECT
        side,
        entry_id,
        kind,
        name,
        phase,
        agent,
        outcome,
        duration_s,
        row_number() OVER (PARTITION BY side ORDER BY seq, entry_id) AS position,
        row_number() OVER (PARTITION BY side, kind, name, phase, agent ORDER BY seq, entry_id) AS nth
    FROM entries
),
aligned AS (
    SELECT
        kind,
        name,
        phase,
        agent,
        nth,
        any_value(position) FILTER (side = 'a') AS position_a,
        any_value(position) FILTER (side = 'b') AS position_b,
        any_value(entry_id) FILTER (side = 'a') AS event_a,
        any_value(entry_id) FILTER (side = 'b') AS event_b,
        any_value(outcome) FILTER (side = 'a') AS outcome_a,
        any_value(outcome) FILTER (side = 'b') AS outcome_b,
        any_value(duration_s) FILTER (side = 'a') AS duration_a_s,
        any_value(duration_s) FILTER (side = 'b') AS duration_b_s
    FROM numbered
    GROUP BY kind, name, phase, agent, nth
),
compared AS (
    SELECT
        row_number() OVER (ORDER BY least(position_a, position_b), position_a NULLS LAST, position_b) AS row_no,
        kind,
        name,
        phase,
        agent,
        CASE
            WHEN position_b IS NULL THEN 'only in A'
            WHEN position_a IS NULL THEN 'only in B'
            WHEN outcome_a IS DISTINCT FROM outcome_b THEN 'other outcome'
        END AS differs,
        outcome_a,
        outcome_b,
        duration_a_s,
        duration_b_s,
        event_a,
        event_b
    FROM aligned
)
SELECT
    row_no,
    kind,
    name,
    phase,
    agent,
    differs,
    outcome_a,
    outcome_b,
    duration_a_s,
    duration_b_s,
    event_a,
    event_b,
    count(differs) OVER () AS differences,
    min(CASE WHEN differs IS NOT NULL THEN row_no END) OVER () AS first_difference,
    count(*) OVER () AS matching
FROM compared
WHERE NOT $differing OR differs IS NOT NULL
ORDER BY row_no
LIMIT $limit OFFSET $offset
