-- A step directly below step $parent of one run, or a root or orphan where none is named, with the number of steps below it
-- and of those that failed. A circle of parents is walked once.
WITH RECURSIVE
-- include ../_one_run.sql
,
-- Read once: a join of the table with itself would read the spans of every run.
own AS MATERIALIZED (
    SELECT run_id, span_id, parent_span_id, seq, kind, name, phase, agent, tool, started_at, ended_at, status
    FROM spans
    WHERE run_id IN (SELECT run_id FROM chosen)
),
steps AS MATERIALIZED (
    SELECT
        own.run_id,
        own.span_id,
        own.parent_span_id,
        own.seq,
        own.kind,
        own.name,
        own.phase,
        own.agent,
        own.tool,
        CASE
            WHEN chosen.clock = 'wall' THEN date_diff('microsecond', own.started_at, own.ended_at) / 1e6
        END AS duration_s,
        own.status,
        own.parent_span_id IS NOT NULL AND parents.span_id IS NULL AS is_orphan
    FROM own
    JOIN chosen ON chosen.run_id = own.run_id
    LEFT JOIN own AS parents ON parents.run_id = own.run_id AND parents.span_id = own.parent_span_id
),
tops AS (
    SELECT run_id, span_id
    FROM steps
    WHERE CASE WHEN $parent IS NULL THEN parent_span_id IS NULL OR is_orphan ELSE parent_span_id = $parent END
),
below AS (
    SELECT run_id, span_id AS top, span_id
    FROM tops
    UNION
    SELECT below.run_id, below.top, steps.span_id
    FROM below
    JOIN steps ON steps.run_id = below.run_id AND steps.parent_span_id = below.span_id
),
counted AS (
    SELECT
        below.run_id,
        below.top,
        count(*) - 1 AS below,
        count(*) FILTER (steps.status = 'error' AND below.span_id <> below.top) AS failed_below
    FROM below
    JOIN steps ON steps.run_id = below.run_id AND steps.span_id = below.span_id
    GROUP BY below.run_id, below.top
)
SELECT
    steps.run_id,
    steps.span_id,
    steps.parent_span_id,
    steps.seq,
    steps.kind,
    steps.name,
    steps.phase,
    steps.agent,
    steps.tool,
    steps.duration_s,
    steps.status,
    steps.is_orphan,
    counted.below,
    counted.failed_below,
    count(*) OVER () AS matching
FROM steps
JOIN counted ON counted.run_id = steps.run_id AND counted.top = steps.span_id
ORDER BY steps.run_id, steps.seq NULLS LAST, steps.span_id
LIMIT $limit OFFSET $offset
