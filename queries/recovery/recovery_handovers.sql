-- Hand-overs: an attempt that escalated, and the run's next attempt is of another chain. How that next one ended is beside it.
-- portable
WITH
-- include _attempts.sql
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
