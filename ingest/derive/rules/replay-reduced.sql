-- rule: replay-reduced
-- severity: warning
-- statement: A replay difference followed by a plain retry.
-- needs: a replay with a difference, and what followed it
-- advice: A difference is evidence: read it before anything runs again. Retrying makes it disappear, not false.
-- when: replays
WITH replayed AS (
    SELECT run_id, replay_of, min(seq) AS seq, arg_min(event_id, seq) AS event_id,
           count(*) FILTER (dimension IS NOT NULL AND expected IS DISTINCT FROM observed) AS differences,
           count(*) FILTER (dimension IS NOT NULL) AS dimensions,
           list(DISTINCT dimension ORDER BY dimension) FILTER (dimension IS NOT NULL) AS names
    FROM replays GROUP BY run_id, replay_of
),
followed AS (
    SELECT p.run_id, p.event_id, arg_min(t.what, (t.seq, t.what)) AS what, arg_min(t.id, t.seq) AS by_id
    FROM replayed p JOIN (
        SELECT run_id, seq, event_id AS id, 'a retry' AS what FROM retries WHERE is_bare IS DISTINCT FROM false
        UNION ALL SELECT run_id, seq, event_id, 'a retry' FROM events WHERE kind = 'retry'
        UNION ALL SELECT e.run_id, e.seq, e.event_id, 'Action ' || e.action FROM error_events e
                  WHERE says_retry(e.action) AND NOT says_changed(e.action)
    ) t ON t.run_id = p.run_id AND t.seq > p.seq
    GROUP BY p.run_id, p.event_id
)
SELECT p.run_id, coalesce(f.by_id, p.event_id) AS event_id,
       CASE WHEN p.dimensions = 0 THEN NULL ELSE p.differences > 0 AND f.by_id IS NOT NULL END AS violated,
       'the replay differs in ' || array_to_string(p.names, ', ') || ' and ' || f.what || ' follows' AS message,
       json_object('replay_of', p.replay_of, 'dimensions', p.names, 'followed_by', f.by_id) AS evidence
FROM replayed p LEFT JOIN followed f ON f.run_id = p.run_id AND f.event_id = p.event_id
