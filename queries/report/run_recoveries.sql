-- A recovery attempt of one run, in order, with its steps as text and the failure that it belongs to.
WITH
-- include ../_one_run.sql
,
steps AS (
    SELECT
        run_id,
        event_id,
        list(concat_ws(' · ', step, agent, action, result) ORDER BY step) AS steps
    FROM recovery_steps
    WHERE run_id IN (SELECT run_id FROM chosen)
    GROUP BY run_id, event_id
)
SELECT
    recovery_events.run_id,
    recovery_events.event_id,
    recovery_events.seq,
    CASE WHEN chosen.clock = 'wall' THEN recovery_events.occurred_at END AS occurred_at,
    coalesce(recovery_events.chain, recovery_events.chain_recorded) AS chain,
    recovery_events.trigger,
    recovery_events.confidence,
    recovery_events.auto_executed,
    recovery_events.outcome,
    recovery_events.steps_completed,
    steps.steps,
    recovery_events.artifacts,
    recovery_events.error_event_id,
    recovery_events.signature,
    recovery_events.signature_partial,
    recovery_events.basis,
    recovery_events.rule
FROM recovery_events
JOIN chosen ON chosen.run_id = recovery_events.run_id
LEFT JOIN steps ON steps.run_id = recovery_events.run_id AND steps.event_id = recovery_events.event_id
ORDER BY recovery_events.run_id, recovery_events.seq NULLS LAST, recovery_events.event_id
LIMIT $limit
