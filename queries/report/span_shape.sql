-- How the steps of one run ended, and how many do not hang together as a tree: orphans, and those in or below a circle of
-- parents. `deepest` is the depth below a root or an orphan.
WITH RECURSIVE
-- include ../_one_run.sql
,
-- Read once: a join of the table with itself would read the spans of every run.
own AS MATERIALIZED (
    SELECT run_id, span_id, parent_span_id, status
    FROM spans
    WHERE run_id IN (SELECT run_id FROM chosen)
),
steps AS MATERIALIZED (
    SELECT
        own.run_id,
        own.span_id,
        own.parent_span_id,
        own.status,
        own.parent_span_id IS NOT NULL AND parents.span_id IS NULL AS is_orphan
    FROM own
    LEFT JOIN own AS parents ON parents.run_id = own.run_id AND parents.span_id = own.parent_span_id
),
below AS (
    SELECT run_id, span_id, 0 AS depth
    FROM steps
    WHERE parent_span_id IS NULL OR is_orphan
    UNION ALL
    SELECT steps.run_id, steps.span_id, below.depth + 1 AS depth
    FROM steps
    JOIN below ON below.run_id = steps.run_id AND below.span_id = steps.parent_span_id
),
hanging AS (
    SELECT
        run_id,
        count(DISTINCT span_id) AS spans,
        max(depth) AS deepest
    FROM below
    GROUP BY run_id
)
SELECT
    steps.run_id,
    count(*) AS spans,
    count(*) FILTER (steps.status = 'ok') AS completed,
    count(*) FILTER (steps.status = 'error') AS failed,
    count(*) FILTER (steps.status = 'open') AS unfinished,
    count(*) FILTER (steps.status = 'not_reached') AS not_reached,
    count(*) FILTER (coalesce(steps.status, 'unset') NOT IN ('ok', 'error', 'open', 'not_reached')) AS not_recorded,
    count(*) FILTER (steps.is_orphan) AS orphans,
    count(*) - coalesce(any_value(hanging.spans), 0) AS in_circles,
    coalesce(any_value(hanging.deepest), 0) AS deepest
FROM steps
LEFT JOIN hanging ON hanging.run_id = steps.run_id
GROUP BY steps.run_id
ORDER BY steps.run_id
