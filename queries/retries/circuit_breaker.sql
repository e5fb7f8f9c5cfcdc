-- A breaker that opened: a full signature seen a second time in its run. What came after it opened is thrash; it closes when
-- a recovery of the same failure succeeds.
-- portable
WITH
-- include ../_chosen.sql
SELECT
    breakers.run_id,
    breakers.signature,
    breakers.error_code,
    breakers.agent,
    breakers.opened_by,
    CASE WHEN chosen.clock = 'wall' THEN breakers.opened_at END AS opened_at,
    breakers.occurrences,
    1 AS attempts,
    breakers.occurrences - 1 AS repeats,
    breakers.occurrences - 2 AS after_opening,
    CASE WHEN breakers.is_closed THEN 'closed by a recovery' ELSE 'open at the end' END AS state,
    chosen.run_name,
    chosen.workload,
    count(*) OVER () AS matching
FROM breakers
JOIN chosen ON chosen.run_id = breakers.run_id
ORDER BY after_opening DESC, chosen.started_at DESC NULLS LAST, breakers.run_id, breakers.signature
LIMIT $limit OFFSET $offset
