-- The step at which attempts that did not recover failed: the first one recorded as FAILED. Step NULL: no step says so.
-- `reached` counts the attempts of the chain that record the step at all.
WITH attempts AS (
    SELECT
        run_id,
        event_id,
        chain,
        outcome
    FROM recovery_attempts
    WHERE counted_as = 'finished'
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
),
failed AS (
    SELECT
        run_id,
        event_id,
        min(step) AS step,
        arg_min(agent, step) AS agent,
        arg_min(action, step) AS action
    FROM recovery_steps
    WHERE result = 'FAILED'
    GROUP BY run_id, event_id
),
reached AS (
    SELECT
        attempts.chain,
        recovery_steps.step,
        count(*) AS reached
    FROM attempts
    JOIN recovery_steps ON recovery_steps.run_id = attempts.run_id AND recovery_steps.event_id = attempts.event_id
    GROUP BY attempts.chain, recovery_steps.step
),
fallen AS (
    SELECT
        attempts.chain,
        failed.step,
        failed.agent,
        count(*) AS attempts,
        min(failed.action) AS action
    FROM attempts
    LEFT JOIN failed ON failed.run_id = attempts.run_id AND failed.event_id = attempts.event_id
    WHERE attempts.outcome <> 'RECOVERED'
    GROUP BY attempts.chain, failed.step, failed.agent
)
SELECT
    fallen.chain,
    fallen.step,
    fallen.agent,
    fallen.action,
    fallen.attempts,
    reached.reached
FROM fallen
LEFT JOIN reached ON reached.chain = fallen.chain AND reached.step = fallen.step
ORDER BY fallen.chain, fallen.step NULLS LAST, fallen.attempts DESC, fallen.agent
