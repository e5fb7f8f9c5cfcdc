-- rule: wait-overdue
-- severity: error
-- statement: A wait is past its deadline, or has none.
-- needs: the end of the wait or of the run
-- advice: Give each wait a deadline and let it end there with an error that names the holder.
-- when: waits
WITH ends AS (
    SELECT run_id, max(happened) AS last_at FROM (
        SELECT run_id, ended_at AS happened FROM runs WHERE clock = 'wall' UNION ALL SELECT run_id, occurred_at FROM waits
        UNION ALL SELECT run_id, until FROM waits UNION ALL SELECT run_id, since FROM waits
        UNION ALL SELECT run_id, occurred_at FROM error_events UNION ALL SELECT run_id, occurred_at FROM events
        UNION ALL SELECT run_id, ended_at FROM spans
    ) GROUP BY run_id
)
SELECT w.run_id, w.event_id,
       CASE WHEN w.deadline IS NULL THEN true
            WHEN w.until IS NULL AND e.last_at <= w.deadline AND r.status IN ('running', 'unknown') THEN NULL
            ELSE coalesce(w.until, e.last_at) > w.deadline END AS violated,
       coalesce(w.waiter, 'somebody') || ' waits for ' || coalesce(w.holder, 'somebody')
           || CASE WHEN w.deadline IS NULL THEN ' without a deadline' WHEN w.until IS NULL THEN ' past the deadline, still open'
              ELSE ' past the deadline' END AS message,
       json_object('waiter', w.waiter, 'holder', w.holder, 'waits_for', w.waits_for, 'since', w.since, 'deadline', w.deadline,
                   'until', w.until) AS evidence
FROM waits w LEFT JOIN ends e USING (run_id) LEFT JOIN runs r USING (run_id)
