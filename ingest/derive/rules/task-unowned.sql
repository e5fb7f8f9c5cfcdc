-- rule: task-unowned
-- severity: error
-- statement: A task in flight has no owner for its answer and its cancellation.
-- needs: recorded owners in the run
-- advice: Name one owner at every hand-over, before the earlier one lets go.
-- when: task_owners
-- when: delegations
WITH next_owner AS (
    SELECT run_id, event_id, task_id, agent, until,
           min(since) OVER (PARTITION BY run_id, task_id ORDER BY since, seq ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_since,
           max(until) OVER (PARTITION BY run_id, task_id ORDER BY since, seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS covered
    FROM owned
)
SELECT run_id, event_id, CASE WHEN task_id IS NULL THEN NULL WHEN agent IS NULL THEN true
                              WHEN until IS NULL OR next_since IS NULL THEN false ELSE greatest(until, covered) < next_since END AS violated,
       'task ' || task_id || CASE WHEN agent IS NULL THEN ' is recorded without an owner'
           ELSE ' had no owner after ' || agent || ' let go' END AS message,
       json_object('task', task_id, 'owner', agent, 'until', until, 'next_owner_since', next_since) AS evidence
FROM next_owner
UNION ALL
SELECT d.run_id, d.event_id,
       CASE WHEN d.run_id IN (SELECT run_id FROM owned) THEN NOT EXISTS (
           SELECT 1 FROM owned o WHERE o.run_id = d.run_id AND o.task_id = d.task_id) END,
       'task ' || d.task_id || ' was delegated and never had an owner', json_object('task', d.task_id)
FROM delegated d
