-- The step at which attempts that did not recover failed: the first one recorded as FAILED. Step NULL: no step says so.
-- `reached` counts the attempts of the chain that record the step at all.
-- portable
WITH attempts AS (
    SELECT
        chain,
        outcome,
        failed_step,
        failed_agent,
        failed_action,
        steps
    FROM recovery_attempts
    WHERE counted_as = 'finished'
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
),
alike AS (
    SELECT
        chain,
        steps,
        count(*) AS attempts
    FROM attempts
    WHERE steps IS NOT NULL
    GROUP BY chain, steps
),
each_step AS (
    SELECT
        chain,
        attempts,
        unnest(steps) AS step
    FROM alike
),
reached AS (
    SELECT
        chain,
        step,
        CAST(sum(attempts) AS BIGINT) AS reached
    FROM each_step
    GROUP BY chain, step
),
fallen AS (
    SELECT
        chain,
        failed_step AS step,
        failed_agent AS agent,
        count(*) AS attempts,
        min(failed_action) AS action
    FROM attempts
    WHERE outcome <> 'RECOVERED'
    GROUP BY chain, failed_step, failed_agent
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
