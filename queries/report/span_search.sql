-- A step of one run whose name, kind, tool, phase, agent or id contains $text, and which $ended so: a status, or orphan or
-- circle for one that does not hang together with the others.
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
hanging AS (
    SELECT run_id, span_id
    FROM steps
    WHERE parent_span_id IS NULL OR is_orphan
    UNION ALL
    SELECT steps.run_id, steps.span_id
    FROM hanging
    JOIN steps ON steps.run_id = hanging.run_id AND steps.parent_span_id = hanging.span_id
),
placed AS (
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
        hanging.span_id IS NULL AS in_circle
    FROM steps
    LEFT JOIN hanging ON hanging.run_id = steps.run_id AND hanging.span_id = steps.span_id
)
SELECT
    placed.run_id,
    placed.span_id,
    placed.parent_span_id,
    placed.seq,
    placed.kind,
    placed.name,
    placed.phase,
    placed.agent,
    placed.tool,
    placed.duration_s,
    placed.status,
    placed.is_orphan,
    placed.in_circle,
    count(*) OVER () AS matching
FROM placed
WHERE ($text IS NULL OR contains(
          lower(concat_ws(' ', placed.name, placed.kind, placed.tool, placed.phase, placed.agent, placed.span_id)), lower($text)
      ))
  AND CASE
          WHEN $ended IS NULL THEN true
          WHEN $ended = 'orphan' THEN placed.is_orphan
          WHEN $ended = 'circle' THEN placed.in_circle
          ELSE coalesce(placed.status, 'unset') = $ended
      END
ORDER BY placed.run_id, placed.seq NULLS LAST, placed.span_id
LIMIT $limit OFFSET $offset
