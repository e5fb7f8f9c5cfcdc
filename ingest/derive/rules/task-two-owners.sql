-- rule: task-two-owners
-- severity: error
-- statement: A task in flight has two owners at the same time.
-- needs: task and owner, and times where an owner let go
-- advice: Exactly one owner: end the earlier ownership before the next begins.
-- when: task_owners
WITH pairs AS (
    SELECT a.run_id, b.event_id, a.task_id, a.agent AS first_agent, b.agent AS second_agent, a.since, a.until, b.since AS since_2,
           CASE WHEN a.until IS NULL AND b.until IS NULL THEN true
                WHEN a.until IS NULL THEN CASE WHEN a.since IS NULL THEN NULL ELSE b.until > a.since END
                WHEN b.since IS NULL THEN NULL ELSE a.until > b.since AND (b.until IS NULL OR b.until > a.since OR a.since IS NULL) END
               AS overlap
    FROM owned a JOIN owned b ON b.run_id = a.run_id AND b.task_id = a.task_id AND b.seq > a.seq AND b.agent <> a.agent
)
SELECT run_id, event_id, overlap AS violated,
       'task ' || task_id || ' is owned by ' || first_agent || ' and ' || second_agent || ' at the same time' AS message,
       json_object('task', task_id, 'owners', [first_agent, second_agent], 'since', since_2, 'earlier_until', until) AS evidence
FROM pairs
UNION ALL
SELECT run_id, event_id, CASE WHEN task_id IS NULL OR agent IS NULL THEN NULL ELSE false END, NULL, NULL
FROM owned WHERE NOT EXISTS (SELECT 1 FROM pairs p WHERE p.run_id = owned.run_id AND p.task_id = owned.task_id)
