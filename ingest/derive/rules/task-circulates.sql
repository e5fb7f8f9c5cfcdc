-- rule: task-circulates
-- severity: error
-- statement: A task is accepted by an agent that already handled it.
-- needs: task, sender and receiver of a delegation; a denied arrival is the guard working
-- advice: Deny the arrival by task identity, or give one agent the answer. The evidence names the whole loop.
-- when: delegations
WITH hops AS (
    SELECT run_id, event_id, seq, task_id, from_agent, to_agent, visited, coalesce(denied, false) AS is_denied,
           list(to_agent) FILTER (NOT coalesce(denied, false)) OVER before AS earlier,
           first_value(from_agent) OVER (PARTITION BY run_id, task_id ORDER BY seq) AS origin
    FROM delegations
    WINDOW before AS (PARTITION BY run_id, task_id ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
paths AS (
    SELECT *, list_filter(list_concat(coalesce([origin], []), coalesce(earlier, [])), lambda a: a IS NOT NULL) AS path FROM hops
),
placed AS (
    SELECT *, len(path) - list_position(list_reverse(path), to_agent) + 1 AS handled_at,
           coalesce(list_contains(CASE WHEN visited[-1] = to_agent THEN visited[:-2] ELSE visited END, to_agent), false)
               AS was_visited  -- some count the arrival itself among the visits
    FROM paths
)
SELECT run_id, event_id,
       CASE WHEN is_denied THEN false WHEN task_id IS NULL OR to_agent IS NULL THEN NULL
            ELSE handled_at IS NOT NULL OR was_visited END AS violated,
       'task ' || task_id || ' came back to ' || to_agent || ': '
           || array_to_string(list_append(CASE WHEN handled_at IS NOT NULL THEN path[handled_at:] ELSE visited END, to_agent), ' → ')
           AS message,
       json_object('task', task_id, 'loop', list_append(CASE WHEN handled_at IS NOT NULL THEN path[handled_at:] ELSE visited END, to_agent))
           AS evidence
FROM placed
