-- An error of one run with the place of its step among the steps that were reached, counted from 1; one that names no step
-- stands at the last step begun before it.
WITH
-- include ../_one_run.sql
,
happened AS (
    SELECT run_id, seq, span_id, CAST(NULL AS VARCHAR) AS event_id, 1 AS is_step
    FROM spans
    WHERE run_id IN (SELECT run_id FROM chosen) AND coalesce(status, '') <> 'not_reached'
    UNION ALL
    SELECT run_id, seq, span_id, event_id, 0 AS is_step
    FROM error_events
    WHERE run_id IN (SELECT run_id FROM chosen)
),
placed AS (
    SELECT
        run_id,
        seq,
        span_id,
        event_id,
        is_step,
        sum(is_step) OVER (
            PARTITION BY run_id ORDER BY seq NULLS LAST, is_step DESC, span_id ROWS UNBOUNDED PRECEDING
        ) AS place
    FROM happened
)
SELECT
    errors.run_id,
    errors.event_id,
    errors.span_id,
    errors.seq,
    CAST(greatest(coalesce(steps.place, errors.place), 1) AS BIGINT) AS place
FROM placed AS errors
LEFT JOIN placed AS steps
    ON steps.run_id = errors.run_id AND steps.span_id = errors.span_id AND steps.is_step = 1
WHERE errors.is_step = 0
  AND ($after IS NULL OR CAST(greatest(coalesce(steps.place, errors.place), 1) AS BIGINT) > $after)
ORDER BY errors.run_id, errors.seq NULLS LAST, errors.event_id
LIMIT $limit
