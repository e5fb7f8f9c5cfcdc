-- when: recovery_events
-- `recovery_attempts`: what every recovery rate counts, so that no page joins and judges the attempts of the store anew.
-- A trigger selects a chain by what it names: a failed chain A is B's, a breaking change is C's, and one share of failures
-- decides by the table [0, 20) L1 retry, [20, 50) L2 inject, [50, 80] A, (80, 100] B. A trigger that names no such share, a
-- range, or "under" and "over" is not evaluable.
DELETE FROM recovery_attempts;
INSERT INTO recovery_attempts BY NAME
WITH triggers AS (
    SELECT DISTINCT trigger, lower(trigger) AS said FROM recovery_events WHERE trigger IS NOT NULL
),
shares AS (
    SELECT
        trigger,
        said,
        CASE
            WHEN contains(said, 'fail')
             AND NOT regexp_matches(said, '[<>≤≥~]|\d\s*%?\s*(-|–|to|\.\.)\s*\d')
             AND length(said) - length(replace(said, '%', '')) = 1
            THEN TRY_CAST(regexp_extract(said, '(\d+(?:\.\d+)?)\s*%', 1) AS DOUBLE)
        END AS failure_share
    FROM triggers
),
selected AS (
    SELECT
        trigger,
        CASE
            WHEN regexp_matches(said, 'chain[ _-]*a[ _-]+(has[ _-]+)?(fail|escalat)') THEN 'B'
            WHEN regexp_matches(said, 'breaking') THEN 'C'
            WHEN regexp_matches(said, 'fail.*[>≥]\s*80\s*%') THEN 'B'
            WHEN failure_share > 100 THEN NULL
            WHEN failure_share > 80 THEN 'B'
            WHEN failure_share >= 50 THEN 'A'
            WHEN failure_share >= 20 THEN 'L2 inject'
            WHEN failure_share >= 0 THEN 'L1 retry'
        END AS selects
    FROM shares
),
gone_through AS (
    SELECT
        run_id,
        event_id,
        list(step ORDER BY step) AS steps,
        min(step) FILTER (result = 'FAILED') AS failed_step,
        arg_min(agent, step) FILTER (result = 'FAILED') AS failed_agent,
        arg_min(action, step) FILTER (result = 'FAILED') AS failed_action
    FROM recovery_steps
    GROUP BY run_id, event_id
),
attempts AS (
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
        counted_as IN ('finished', 'unfinished', 'other_outcome') AS is_counted,
        selected.selects,
        gone_through.failed_step,
        gone_through.failed_agent,
        gone_through.failed_action,
        gone_through.steps,
        coalesce(full_signature, recovery_events.error_event_id) AS failure
    FROM recovery_events
    LEFT JOIN runs ON runs.run_id = recovery_events.run_id
    LEFT JOIN runs_in_no_rate ON runs_in_no_rate.run_id = recovery_events.run_id
    LEFT JOIN error_events
        ON error_events.run_id = recovery_events.run_id AND error_events.event_id = recovery_events.error_event_id
    LEFT JOIN selected ON selected.trigger = recovery_events.trigger
    LEFT JOIN gone_through
        ON gone_through.run_id = recovery_events.run_id AND gone_through.event_id = recovery_events.event_id
)
SELECT
    attempts.* EXCLUDE (failure),
    full_signature IS NULL OR row_number() OVER (
        PARTITION BY run_id, is_counted, chain, full_signature ORDER BY seq DESC) = 1 AS is_last,
    lead(chain) OVER by_seq AS next_chain,
    lead(outcome) OVER by_seq AS next_outcome,
    CASE WHEN failure IS NOT NULL
         THEN row_number() OVER (PARTITION BY run_id, is_counted, chain, failure ORDER BY seq) END AS nth_of_failure,
    min(happened_at) OVER of_run AS run_from,
    max(happened_at) OVER of_run AS run_to,
    min(basis) OVER of_run <> max(basis) OVER of_run
        OR count(happened_at) OVER of_run NOT IN (0, count(*) OVER of_run) AS is_mixed
FROM attempts
WINDOW by_seq AS (PARTITION BY run_id, is_counted ORDER BY seq), of_run AS (PARTITION BY run_id, is_counted);
