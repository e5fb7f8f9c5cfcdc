-- An edge of the delegation graph: tasks that one agent handed to another, as recorded. Nothing is inferred.
-- portable
WITH
-- include ../_chosen.sql
SELECT
    delegations.from_agent,
    delegations.to_agent,
    count(*) AS hops,
    count(*) FILTER (coalesce(delegations.denied, false)) AS denied,
    count(DISTINCT delegations.task_id) AS tasks,
    count(DISTINCT delegations.run_id) AS runs,
    count(*) FILTER (
        EXISTS (
            SELECT 1 FROM findings
            WHERE findings.run_id = delegations.run_id AND findings.event_id = delegations.event_id
              AND findings.rule = 'task-circulates'
        )
    ) AS circulating,
    count(*) OVER () AS matching
FROM delegations
JOIN chosen ON chosen.run_id = delegations.run_id
GROUP BY delegations.from_agent, delegations.to_agent
ORDER BY hops DESC, delegations.from_agent, delegations.to_agent
LIMIT $limit OFFSET $offset
