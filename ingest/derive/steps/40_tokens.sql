-- when: spans WHERE input_tokens IS NOT NULL OR output_tokens IS NOT NULL OR cost_usd IS NOT NULL
-- Tokens and cost of a run, each counted once. A span that records some and has parts that record their own is their
-- sum. Parts are the spans below it; below a model call, those that it reaches without a tool or an agent between, for
-- what a tool asks another model is no part of the call that led to the tool. Each measure is judged by itself.
CREATE OR REPLACE TEMP TABLE parts AS
SELECT s.rowid AS part, p.rowid AS above, s.run_id,
       -- A bit a measure: 1 input tokens, 2 output tokens, 4 cost.
       (s.input_tokens IS NOT NULL)::TINYINT + (s.output_tokens IS NOT NULL)::TINYINT * 2 + (s.cost_usd IS NOT NULL)::TINYINT * 4
           AS measures,
       coalesce(s.kind IN ('tool', 'agent'), false) AS crosses, coalesce(s.kind = 'llm', false) AS is_call,
       -- Only where a span comes before its parent can parents form a cycle.
       coalesce(p.seq >= s.seq, false) AS is_before_its_parent
FROM spans s LEFT JOIN spans p ON p.run_id = s.run_id AND p.span_id = s.parent_span_id;

CREATE OR REPLACE TEMP TABLE sums AS
WITH RECURSIVE walk AS (
    SELECT above, measures, crosses AS crossed FROM parts WHERE above IS NOT NULL AND measures > 0
    UNION
    -- What the span above measures itself it also carries on itself.
    SELECT p.above, w.measures & ~p.measures, w.crossed OR p.crosses
    FROM walk w JOIN parts p ON p.part = w.above
    WHERE p.above IS NOT NULL AND w.measures & ~p.measures > 0
)
SELECT w.above AS part, bit_or(w.measures) AS measures
FROM walk w JOIN parts p ON p.part = w.above
WHERE NOT (w.crossed AND p.is_call)
GROUP BY w.above;

-- In a cycle of parents each is above the other, and neither is a sum: there every part walks all the way by itself.
CREATE OR REPLACE TEMP TABLE perhaps_cyclic AS SELECT DISTINCT run_id FROM parts WHERE is_before_its_parent;
DELETE FROM sums WHERE part IN (SELECT part FROM parts WHERE run_id IN (SELECT run_id FROM perhaps_cyclic));
INSERT INTO sums
WITH RECURSIVE bits AS (SELECT unnest([1, 2, 4])::TINYINT AS bit),
own AS (SELECT * FROM parts WHERE run_id IN (SELECT run_id FROM perhaps_cyclic)),
walk AS (
    SELECT part, bit, above, crosses AS crossed FROM own JOIN bits ON measures & bit > 0 WHERE above IS NOT NULL
    UNION
    SELECT w.part, w.bit, p.above, w.crossed OR p.crosses FROM walk w JOIN own p ON p.part = w.above WHERE p.above IS NOT NULL
),
spent_above AS (
    SELECT DISTINCT w.part, w.bit, w.above FROM walk w JOIN own p ON p.part = w.above
    WHERE w.part <> w.above AND NOT (w.crossed AND p.is_call)
)
SELECT a.above, bit_or(a.bit) FROM spent_above a
WHERE NOT EXISTS (FROM spent_above b WHERE b.bit = a.bit AND b.part = a.above AND b.above = a.part)
GROUP BY a.above;

-- Apart from the update, which would make of it a plan that takes fifteen times as long.
CREATE OR REPLACE TEMP TABLE spent AS
SELECT run_id, sum(input_tokens) FILTER (measured & 1 = 0) AS input, sum(output_tokens) FILTER (measured & 2 = 0) AS output,
       -- As decimals, so that the order of the spans changes no digit; what is no sensible cost is added up as it is.
       CASE WHEN count(cost_usd) = count(TRY_CAST(cost_usd AS DECIMAL(28, 12)))
            THEN CAST(sum(TRY_CAST(cost_usd AS DECIMAL(28, 12))) FILTER (measured & 4 = 0) AS DOUBLE)
            ELSE sum(cost_usd) FILTER (measured & 4 = 0) END AS cost
FROM (
    SELECT spans.run_id, input_tokens, output_tokens, cost_usd, coalesce(sums.measures, 0) AS measured
    FROM spans LEFT JOIN sums ON sums.part = spans.rowid
) GROUP BY run_id;

UPDATE runs SET
    input_tokens = TRY_CAST(t.input AS BIGINT), output_tokens = TRY_CAST(t.output AS BIGINT),
    cost_usd = CASE WHEN isfinite(t.cost) THEN t.cost END
FROM spent t
WHERE t.run_id = runs.run_id;
DROP TABLE spent;
DROP TABLE parts;
DROP TABLE sums;
DROP TABLE perhaps_cyclic;
