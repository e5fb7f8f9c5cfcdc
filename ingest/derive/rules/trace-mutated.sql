-- rule: trace-mutated
-- severity: critical
-- statement: Events after finalization, or a record of a finalized run that changed between two ingests.
-- needs: a mark that the run was finalized
-- advice: The original is immutable: keep both versions and find who wrote the later one.
-- when: runs
WITH finalized AS (
    SELECT NULL::VARCHAR AS run_id, NULL::BIGINT AS seq WHERE false
    -- arm: events WHERE kind IN ('run_end', 'run_finalized', 'finalized', 'RUN_FINALIZED')
    UNION ALL
    SELECT run_id, min(seq) FROM events
    WHERE kind IN ('run_end', 'run_finalized', 'finalized', 'RUN_FINALIZED') GROUP BY run_id
    -- end
),
later AS (
    SELECT NULL::VARCHAR AS run_id, 0 AS n, NULL::VARCHAR AS event_id, NULL::VARCHAR AS what WHERE false
    -- arm: events WHERE kind IN ('run_end', 'run_finalized', 'finalized', 'RUN_FINALIZED')
    UNION ALL
    SELECT f.run_id, count(*), arg_min(a.event_id, a.seq), arg_min(a.what, a.seq)
    FROM finalized f JOIN (
        SELECT run_id, event_id, seq, kind AS what FROM events WHERE kind NOT IN ('note', 'retry', 'run_end', 'agent_end')
        UNION ALL SELECT run_id, event_id, seq, 'error' FROM error_events WHERE basis = 'recorded'
        UNION ALL SELECT run_id, event_id, seq, 'recovery' FROM recovery_events WHERE basis = 'recorded'
        UNION ALL SELECT run_id, span_id, seq, 'span' FROM spans
    ) a ON a.run_id = f.run_id AND a.seq > f.seq
    GROUP BY f.run_id
    -- end
)
SELECT r.run_id, l.event_id,
       CASE WHEN l.n > 0 THEN true
            WHEN f.run_id IS NOT NULL OR json_extract_string(r.attributes, '$.finalized') IS NOT NULL THEN false END AS violated,
       l.n || ' records after the run was finalized, the first: ' || l.what AS message,
       json_object('records_after', l.n, 'first', l.event_id) AS evidence
FROM runs r LEFT JOIN finalized f USING (run_id) LEFT JOIN later l USING (run_id)
WHERE r.status NOT IN ('running', 'interrupted')
-- arm: events WHERE list_contains(flags, 'changed_since_stored')
UNION ALL
SELECT run_id, event_id, true, 'a stored record of the finalized run came again with other content', json_object('record', event_id)
FROM events WHERE list_contains(flags, 'changed_since_stored')
-- end
-- arm: error_events WHERE list_contains(flags, 'changed_since_stored')
UNION ALL
SELECT run_id, event_id, true, 'a stored record of the finalized run came again with other content', json_object('record', event_id)
FROM error_events WHERE list_contains(flags, 'changed_since_stored')
-- end
-- arm: recovery_events WHERE list_contains(flags, 'changed_since_stored')
UNION ALL
SELECT run_id, event_id, true, 'a stored record of the finalized run came again with other content', json_object('record', event_id)
FROM recovery_events WHERE list_contains(flags, 'changed_since_stored')
-- end
-- arm: spans WHERE list_contains(flags, 'changed_since_stored')
UNION ALL
SELECT run_id, span_id, true, 'a stored record of the finalized run came again with other content', json_object('record', span_id)
FROM spans WHERE list_contains(flags, 'changed_since_stored')
-- end
