-- An edge of the delegation graph: tasks that one agent handed to another, as recorded. Nothing is inferred.
-- portable
WITH chosen AS (
    SELECT
        run_id,
        native_id,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        source,
        status,
        started_at,
        clock
    FROM runs
    WHERE ($run IS NULL OR run_id = $run
           OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run)))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
)
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
