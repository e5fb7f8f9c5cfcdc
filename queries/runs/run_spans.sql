-- The steps of one run in order, with how each ended; those never reached stand last. `last_seq` is the last event that names the span: where there
-- is no clock it says how far the step went.
WITH
-- include ../_one_run.sql
,
named AS (
    SELECT run_id, span_id, seq FROM events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, span_id, seq FROM error_events WHERE run_id IN (SELECT run_id FROM chosen)
    UNION ALL
    SELECT run_id, parent_span_id AS span_id, seq FROM spans WHERE run_id IN (SELECT run_id FROM chosen)
),
reached AS (
    SELECT
        run_id,
        span_id,
        max(seq) AS last_seq
    FROM named
    WHERE span_id IS NOT NULL
    GROUP BY run_id, span_id
)
SELECT
    spans.run_id,
    spans.span_id,
    spans.parent_span_id,
    spans.seq,
    spans.kind,
    spans.name,
    spans.phase,
    spans.agent,
    spans.step_index,
    CASE WHEN chosen.clock = 'wall' THEN spans.started_at END AS started_at,
    CASE WHEN chosen.clock = 'wall' THEN spans.ended_at END AS ended_at,
    CASE
        WHEN chosen.clock = 'wall' THEN date_diff('microsecond', spans.started_at, spans.ended_at) / 1e6
    END AS duration_s,
    spans.status,
    spans.tool,
    spans.model,
    spans.input_tokens,
    spans.output_tokens,
    spans.cost_usd,
    greatest(spans.seq, reached.last_seq) AS last_seq,
    count(*) OVER () AS matching
FROM spans
JOIN chosen ON chosen.run_id = spans.run_id
LEFT JOIN reached ON reached.run_id = spans.run_id AND reached.span_id = spans.span_id
ORDER BY spans.run_id, coalesce(spans.status, '') = 'not_reached', spans.seq NULLS LAST, spans.started_at, spans.span_id
LIMIT $limit OFFSET $offset
