-- Who repeats most without changing anything: agents and places (tool, file) by unchanged retries.
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
),
counted AS (
    SELECT
        'agent' AS kind,
        agent AS name,
        run_id,
        coalesce(is_bare AND NOT is_transient, false) AS is_thrash
    FROM retry_facts
    UNION ALL
    SELECT
        'place' AS kind,
        place AS name,
        run_id,
        coalesce(is_bare AND NOT is_transient, false) AS is_thrash
    FROM retry_facts
)
SELECT
    counted.kind,
    counted.name,
    count(*) FILTER (counted.is_thrash) AS unchanged,
    count(*) AS retries,
    count(DISTINCT counted.run_id) AS runs,
    count(*) OVER () AS matching
FROM counted
JOIN chosen ON chosen.run_id = counted.run_id
WHERE counted.name IS NOT NULL
GROUP BY counted.kind, counted.name
ORDER BY unchanged DESC, retries DESC, counted.kind, counted.name
LIMIT $limit
