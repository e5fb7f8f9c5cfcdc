-- rule: agent-degraded
-- severity: error
-- statement: An agent fails 3 tasks in a row, or two agents disagree for 3 turns without progress.
-- needs: agents on tasks with an end, or hand-offs with both sides
-- advice: Mark the agent DEGRADED and route round it; for two who disagree, let a third decide.
-- when: spans WHERE agent IS NOT NULL AND kind IN ('task', 'step', 'agent', 'invoke_agent', 'entry', 'node')
-- when: events WHERE kind IN ('step_complete', 'agent_end')
-- when: handoffs
WITH tasks AS (
    SELECT run_id, span_id AS id, seq, agent, status = 'error' AS is_failed FROM spans
    WHERE kind IN ('task', 'step', 'agent', 'invoke_agent', 'entry', 'node') AND agent IS NOT NULL AND status IN ('ok', 'error')
    UNION ALL
    SELECT run_id, event_id, seq, agent, json_extract_string(attributes, '$.status') = 'FAILED' FROM events
    WHERE kind = 'step_complete' AND agent IS NOT NULL AND json_extract_string(attributes, '$.status') IS NOT NULL
    UNION ALL
    SELECT run_id, event_id, seq, agent, json_extract_string(attributes, '$.meta.status') IN ('error', 'failed') FROM events
    WHERE kind = 'agent_end' AND agent IS NOT NULL AND json_extract_string(attributes, '$.meta.status') IS NOT NULL
),
-- Most agents fail fewer tasks than that: only of the others the order matters.
failing AS (SELECT run_id, agent, count(*) FILTER (is_failed) AS failures FROM tasks GROUP BY run_id, agent),
stretches AS (
    SELECT *, count(*) FILTER (NOT is_failed) OVER (PARTITION BY run_id, agent ORDER BY seq) AS stretch
    FROM tasks WHERE (run_id, agent) IN (SELECT (run_id, agent) FROM failing WHERE failures >= 3)
),
rows_of AS (
    SELECT run_id, agent, max(failures) AS failures, arg_max(ids, [failures, -stretch]) AS ids FROM (
        SELECT run_id, agent, stretch, count(*) FILTER (is_failed) AS failures, list(id ORDER BY seq) FILTER (is_failed) AS ids
        FROM stretches GROUP BY run_id, agent, stretch
    ) GROUP BY run_id, agent
    UNION ALL
    SELECT run_id, agent, failures, NULL FROM failing WHERE coalesce(failures, 0) < 3
),
turns AS (
    SELECT run_id, event_id, seq, status, CASE WHEN to_agent IS NOT NULL AND from_agent IS NOT NULL THEN least(from_agent, to_agent) END AS one,
           CASE WHEN to_agent IS NOT NULL AND from_agent IS NOT NULL THEN greatest(from_agent, to_agent) END AS other,
           count(*) FILTER (status = 'accepted') OVER (
               PARTITION BY run_id, least(from_agent, to_agent), greatest(from_agent, to_agent) ORDER BY seq) AS stretch
    FROM handoffs
),
disputes AS (
    SELECT run_id, one, other, max(refusals) AS refusals, arg_max(ids, [refusals, -stretch]) AS ids FROM (
        SELECT run_id, one, other, stretch, count(*) FILTER (status = 'refused') AS refusals,
               list(event_id ORDER BY seq) FILTER (status = 'refused') AS ids
        FROM turns GROUP BY run_id, one, other, stretch
    ) GROUP BY run_id, one, other
)
SELECT run_id, ids[-1] AS event_id, failures >= 3 AS violated,
       agent || ' failed ' || failures || ' tasks in a row' AS message,
       json_object('agent', agent, 'failures', failures, 'tasks', ids[:20]) AS evidence
FROM rows_of
UNION ALL
SELECT run_id, ids[-1], CASE WHEN one IS NULL OR other IS NULL OR one = other THEN NULL ELSE coalesce(refusals, 0) >= 3 END,
       one || ' and ' || other || ' refused one another ' || refusals || ' times without progress',
       json_object('agents', [one, other], 'refusals', refusals, 'handoffs', ids[:20])
FROM disputes
