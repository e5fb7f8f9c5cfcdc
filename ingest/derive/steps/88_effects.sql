-- `effects`: what may have landed: an unknown outcome, or an L0 capture. A check recorded later on the same resource counts for
-- it; `collapsed` where a rule found that it was called failed, or tried again before the check.
DELETE FROM effects;
INSERT INTO effects BY NAME
WITH doubtful AS (
    SELECT run_id, event_id, seq, resource, coalesce(error_code, type) AS error_code, agent, checked_state, checked_by,
           CASE WHEN level = 'L0' THEN 'capture failure' ELSE 'unknown outcome' END AS kind, details, occurred_at
    FROM error_events
    WHERE tool_error_class = 'unknown_outcome' OR level = 'L0'
),
checks AS (
    SELECT run_id, resource, seq, checked_state, checked_by FROM error_events WHERE checked_state IS NOT NULL
),
looked_at AS (
    SELECT doubtful.run_id, doubtful.event_id, arg_min(checks.checked_state, checks.seq) AS checked_state,
           arg_min(checks.checked_by, checks.seq) AS checked_by
    FROM doubtful
    JOIN checks ON checks.run_id = doubtful.run_id AND checks.resource = doubtful.resource AND checks.seq > doubtful.seq
    GROUP BY doubtful.run_id, doubtful.event_id
)
SELECT doubtful.* EXCLUDE (checked_state, checked_by),
       coalesce(doubtful.checked_state, looked_at.checked_state) AS checked_state,
       coalesce(doubtful.checked_by, looked_at.checked_by) AS checked_by,
       EXISTS (
           SELECT 1 FROM findings
           WHERE findings.run_id = doubtful.run_id AND findings.event_id = doubtful.event_id
             AND findings.rule IN ('unknown-outcome-collapsed', 'capture-escalated')
       ) AS collapsed
FROM doubtful
LEFT JOIN looked_at ON looked_at.run_id = doubtful.run_id AND looked_at.event_id = doubtful.event_id;
