-- Hand-overs: an attempt that escalated, and the run's next attempt is of another chain. How that next one ended is beside it.
WITH attempts AS (
    SELECT
        chain,
        outcome,
        lead(chain) OVER (PARTITION BY run_id ORDER BY seq) AS next_chain,
        lead(outcome) OVER (PARTITION BY run_id ORDER BY seq) AS next_outcome
    FROM recovery_attempts
    WHERE is_counted
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
)
SELECT
    chain AS from_chain,
    next_chain AS to_chain,
    count(*) AS handovers,
    count(*) FILTER (next_outcome = 'RECOVERED') AS then_recovered,
    count(*) FILTER (next_outcome = 'ESCALATED') AS then_escalated,
    count(*) FILTER (next_outcome = 'ABORTED') AS then_aborted
FROM attempts
WHERE outcome = 'ESCALATED' AND next_chain <> chain
GROUP BY chain, next_chain
ORDER BY handovers DESC, from_chain, to_chain
