-- Refused deliveries by edge and condition. A refusal is neither an error nor a retry; it enters no rate.
-- portable
WITH
-- include ../_chosen.sql
SELECT
    handoffs.from_agent,
    handoffs.to_agent,
    handoffs.condition,
    CASE handoffs.condition
        WHEN '1' THEN 'unresolved risk'
        WHEN '2' THEN 'missing field or unresolvable locator'
        WHEN '3' THEN 'evidence below the floor'
        WHEN '4' THEN 'completed presented as verified'
        WHEN '5' THEN 'a named item held but not passed'
    END AS condition_means,
    count(*) AS refusals,
    count(DISTINCT handoffs.run_id) AS runs,
    count(*) FILTER (
        EXISTS (
            SELECT 1 FROM findings
            WHERE findings.run_id = handoffs.run_id AND findings.event_id = handoffs.event_id
              AND findings.rule = 'handoff-second-bounce'
        )
    ) AS second_bounces,
    min(handoffs.details) AS example,
    count(*) OVER () AS matching
FROM handoffs
JOIN chosen ON chosen.run_id = handoffs.run_id
WHERE handoffs.status = 'refused'
GROUP BY handoffs.from_agent, handoffs.to_agent, handoffs.condition
ORDER BY refusals DESC, handoffs.from_agent, handoffs.to_agent, handoffs.condition
LIMIT $limit OFFSET $offset
