-- Who repeats most without changing anything: agents and places (tool, file) by unchanged retries.
-- portable
WITH
-- include ../_chosen.sql
,
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
