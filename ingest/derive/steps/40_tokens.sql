-- Tokens and cost of a run, each counted once. A span that records some and has parts that record their own is their
-- sum. Parts are the spans below it; below a model call, those that it reaches without a tool or an agent between, for
-- what a tool asks another model is no part of the call that led to the tool. Each measure is judged by itself.
CREATE OR REPLACE TEMP TABLE measured AS
SELECT run_id, span_id, measure, value FROM (
    SELECT run_id, span_id, CAST(input_tokens AS DOUBLE) AS input, CAST(output_tokens AS DOUBLE) AS output, cost_usd AS cost
    FROM spans
) UNPIVOT (value FOR measure IN (input, output, cost));

CREATE OR REPLACE TEMP TABLE spent_above AS
WITH RECURSIVE walk AS (
    SELECT m.run_id, m.span_id AS part, m.measure, s.parent_span_id AS above,
           coalesce(s.kind IN ('tool', 'agent'), false) AS crossed
    FROM measured m JOIN spans s ON s.run_id = m.run_id AND s.span_id = m.span_id
    WHERE s.parent_span_id IS NOT NULL
    UNION
    SELECT walk.run_id, walk.part, walk.measure, s.parent_span_id,
           walk.crossed OR coalesce(s.kind IN ('tool', 'agent'), false)
    FROM walk JOIN spans s ON s.run_id = walk.run_id AND s.span_id = walk.above
    WHERE s.parent_span_id IS NOT NULL
)
SELECT DISTINCT walk.run_id, walk.part, walk.measure, walk.above
FROM walk JOIN spans s ON s.run_id = walk.run_id AND s.span_id = walk.above
WHERE walk.part <> walk.above AND NOT (walk.crossed AND coalesce(s.kind, '') = 'llm');

UPDATE runs SET
    input_tokens = TRY_CAST(t.input AS BIGINT), output_tokens = TRY_CAST(t.output AS BIGINT),
    cost_usd = CASE WHEN isfinite(t.cost) THEN t.cost END
FROM (
    SELECT run_id, sum(value) FILTER (measure = 'input') AS input, sum(value) FILTER (measure = 'output') AS output,
           sum(value) FILTER (measure = 'cost') AS cost
    FROM measured m
    WHERE NOT EXISTS (
        SELECT 1 FROM spent_above a
        WHERE a.run_id = m.run_id AND a.above = m.span_id AND a.measure = m.measure
          -- In a cycle of parents each is above the other, and neither is a sum.
          AND NOT EXISTS (
              SELECT 1 FROM spent_above b
              WHERE b.run_id = m.run_id AND b.measure = m.measure AND b.part = m.span_id AND b.above = a.part))
    GROUP BY run_id
) t
WHERE t.run_id = runs.run_id;
DROP TABLE measured;
DROP TABLE spent_above;
