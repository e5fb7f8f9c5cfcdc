-- An effect that may exist: an unknown_outcome, or an L0 capture, with the resource to check and who confirmed what. Never
-- counted as failed. A check recorded later on the same resource counts for it.
-- portable
WITH
-- include ../_chosen.sql
,
counted AS (
    SELECT count(*) AS matching
    FROM effects
    WHERE run_id IN (SELECT run_id FROM chosen)
)
SELECT
    effects.run_id,
    effects.event_id,
    effects.resource,
    effects.error_code,
    effects.agent,
    effects.checked_state,
    effects.checked_by,
    effects.kind,
    effects.collapsed,
    effects.details,
    effects.occurred_at,
    chosen.run_name,
    chosen.workload,
    counted.matching
FROM effects
JOIN chosen ON chosen.run_id = effects.run_id
CROSS JOIN counted
ORDER BY effects.checked_state IS NOT NULL, chosen.started_at DESC NULLS LAST, effects.run_id, effects.seq
LIMIT $limit OFFSET $offset
