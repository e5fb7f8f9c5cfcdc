-- Runs that are in no recovery rate: a veto is a decision, and a run that somebody interrupted did not get to recover.
CREATE VIEW runs_in_no_rate AS
SELECT
    runs.run_id,
    CASE WHEN runs.status = 'vetoed' THEN 'vetoed_run' ELSE 'interrupted_run' END AS reason
FROM runs
WHERE runs.status IN ('vetoed', 'interrupted')
   OR runs.stop_reason IN ('user_interruption', 'user_abort')
   OR (runs.status NOT IN ('succeeded', 'escalated')
       AND runs.run_id IN (SELECT run_id FROM error_events WHERE failure_class = 'user_interruption'));

-- What every recovery rate counts, defined once. A view: it follows from records, and never lags behind them.
-- `happened_at` is the attempt's own wall-clock time, else its run's start. `full_signature` is NULL where the failure's
-- signature is partial or missing: only full ones are the same failure twice. `counted_as` says what the attempt is to a
-- rate: finished, unfinished, other_outcome (a text outside the list); the rest is in no rate and counted beside it.
CREATE VIEW recovery_attempts AS
SELECT
    recovery_events.run_id,
    recovery_events.event_id,
    recovery_events.seq,
    coalesce(runs.workload, 'default') AS workload,
    runs.source,
    recovery_events.basis,
    recovery_events.chain,
    recovery_events.trigger,
    recovery_events.confidence,
    recovery_events.auto_executed,
    recovery_events.outcome,
    recovery_events.error_event_id,
    CASE WHEN recovery_events.signature_partial = false THEN recovery_events.signature END AS full_signature,
    CASE runs.clock
        WHEN 'wall' THEN coalesce(recovery_events.occurred_at, runs.started_at)
        WHEN 'synthetic' THEN runs.started_at
    END AS happened_at,
    CASE
        WHEN runs_in_no_rate.reason IS NOT NULL THEN runs_in_no_rate.reason
        WHEN error_events.level = 'L0' THEN 'l0_capture'
        WHEN error_events.tool_error_class = 'unknown_outcome' THEN 'unknown_outcome'
        WHEN recovery_events.outcome IS NULL THEN 'unfinished'
        WHEN recovery_events.outcome IN ('RECOVERED', 'ESCALATED', 'ABORTED') THEN 'finished'
        ELSE 'other_outcome'
    END AS counted_as,
    counted_as IN ('finished', 'unfinished', 'other_outcome') AS is_counted
FROM recovery_events
LEFT JOIN runs ON runs.run_id = recovery_events.run_id
LEFT JOIN runs_in_no_rate ON runs_in_no_rate.run_id = recovery_events.run_id
LEFT JOIN error_events
    ON error_events.run_id = recovery_events.run_id AND error_events.event_id = recovery_events.error_event_id;

-- The end of every window that nobody ends: the newest time that a wall clock gave, so that the same store gives the
-- same answer on any day. One row; NULL where nothing has a time.
CREATE VIEW newest_wall_time AS
SELECT max(happened_at) AS newest
FROM (
    SELECT greatest(started_at, ended_at) AS happened_at
    FROM runs
    WHERE clock = 'wall'
    UNION ALL
    SELECT error_events.occurred_at AS happened_at
    FROM error_events
    JOIN runs ON runs.run_id = error_events.run_id
    WHERE runs.clock = 'wall'
    UNION ALL
    SELECT recovery_events.occurred_at AS happened_at
    FROM recovery_events
    JOIN runs ON runs.run_id = recovery_events.run_id
    WHERE runs.clock = 'wall'
) AS times;

-- Reference: the recovery chains. C has no recorded limit of attempts: not evaluable.
CREATE TABLE recovery_chain_profiles (
    chain VARCHAR,
    trigger_means VARCHAR,
    auto_threshold DOUBLE,
    max_attempts BIGINT,
    success_means VARCHAR,
    on_failure VARCHAR
);
INSERT INTO recovery_chain_profiles VALUES
    ('A', 'test failure 50–80 %', 0.75, 2, 'pass rate ≥ 90 %, no new failures', 'chain B'),
    ('B', 'test failure > 80 %, or chain A failed', 0.70, 1, 'pass rate ≥ 95 %, goal achieved', 'ask the user'),
    ('C', 'breaking change', 0.80, NULL, NULL, 'ask the user');
