-- Who repeats most without changing anything: agents and places (tool, file) by unchanged retries.
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
        error_events.agent AS name,
        retries.run_id,
        coalesce(retries.is_bare AND NOT retries.is_transient, false) AS is_thrash
    FROM retries
    JOIN error_events ON error_events.run_id = retries.run_id AND error_events.event_id = retries.of_event
    UNION ALL
    SELECT
        'place' AS kind,
        coalesce(json_extract_string(error_events.attributes, '$.tool'), error_events.location) AS name,
        retries.run_id,
        coalesce(retries.is_bare AND NOT retries.is_transient, false) AS is_thrash
    FROM retries
    JOIN error_events ON error_events.run_id = retries.run_id AND error_events.event_id = retries.of_event
)
SELECT
    counted.kind,
    counted.name,
    count(*) FILTER (counted.is_thrash) AS unchanged,
    count(*) AS retries,
    count(DISTINCT counted.run_id) AS runs
FROM counted
JOIN chosen ON chosen.run_id = counted.run_id
WHERE counted.name IS NOT NULL
GROUP BY counted.kind, counted.name
ORDER BY unchanged DESC, retries DESC, counted.kind, counted.name
LIMIT $limit
