-- rule: level-skipped-up
-- severity: warning
-- statement: Recovery failed 3 times and no L4 follows; 3 escalations are unresolved and no L5 follows.
-- needs: outcomes of recoveries, or levels and results of errors
-- advice: One level up when a level fails: after three failed recoveries a person, after three open escalations stop and roll back.
-- when: recovery_events WHERE basis = 'recorded' AND outcome IS DISTINCT FROM 'RECOVERED'
-- when: error_events WHERE level = 'L4' OR result = 'ESCALATED'
WITH attempts AS (
    SELECT run_id, event_id, seq, outcome, outcome IN ('ESCALATED', 'ABORTED') AS is_finished
    FROM recovery_events WHERE basis = 'recorded' AND outcome IS DISTINCT FROM 'RECOVERED'
),
failed AS (SELECT run_id, count(*) AS n, count(*) FILTER (is_finished) AS finished FROM attempts GROUP BY run_id),
finished AS (
    SELECT run_id, list(event_id ORDER BY seq) AS ids, list(seq ORDER BY seq)[3] AS third, count(*) AS n
    FROM attempts WHERE is_finished AND run_id IN (SELECT run_id FROM failed WHERE finished >= 3) GROUP BY run_id
),
escalations AS (
    SELECT run_id, list(event_id ORDER BY seq) AS ids, list(seq ORDER BY seq)[3] AS third, count(*) AS n,
           -- A level 4 without a result may have been resolved.
           count(result) AS unresolved
    FROM error_events WHERE (level = 'L4' OR result = 'ESCALATED') AND result IS DISTINCT FROM 'SUCCESS' GROUP BY run_id
),
levels AS (
    SELECT run_id, max(seq) FILTER (level IN ('L4', 'L5') OR result = 'ESCALATED') AS last_l4, max(seq) FILTER (level = 'L5') AS last_l5
    FROM error_events GROUP BY run_id
)
SELECT failed.run_id, finished.ids[-1] AS event_id,
       CASE WHEN coalesce(finished.n, 0) >= 3 THEN coalesce(levels.last_l4 < finished.third, true)
            WHEN failed.n >= 3 THEN NULL ELSE false END AS violated,
       finished.n || ' recoveries failed and no escalation to L4 follows' AS message,
       json_object('recoveries', finished.ids, 'expected', 'L4') AS evidence
FROM failed LEFT JOIN finished USING (run_id) LEFT JOIN levels USING (run_id)
UNION ALL
SELECT run_id, ids[-1], CASE WHEN n < 3 OR last_l5 > third THEN false WHEN unresolved >= 3 THEN true END,
       n || ' escalations are unresolved and no L5 follows', json_object('escalations', ids, 'expected', 'L5')
FROM escalations LEFT JOIN levels USING (run_id)
