-- Refused deliveries by edge and condition. A refusal is neither an error nor a retry; it enters no rate.
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
