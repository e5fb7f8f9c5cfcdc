-- rule: partial-rerun-whole
-- severity: error
-- statement: All units are run again after partial_success.
-- needs: what was done after a partial success: the Action's words, or the units of the next attempt
-- advice: Redo only the failed units: a whole re-run repeats the effects of those that succeeded.
-- tables: error_events
WITH partial AS (
    SELECT e.run_id, e.event_id, e.action, lower(e.action) AS said,
           json_extract_string(e.attributes, '$.failed_units[*]') AS failed,
           (SELECT arg_min(json_extract_string(a.attributes, '$.units[*]'), a.seq)
            FROM (SELECT run_id, seq, attributes FROM spans UNION ALL SELECT run_id, seq, attributes FROM error_events
                  UNION ALL SELECT run_id, seq, attributes FROM events) a
            WHERE a.run_id = e.run_id AND a.seq > e.seq AND json_extract(a.attributes, '$.units') IS NOT NULL) AS redone
    FROM error_events e WHERE e.tool_error_class = 'partial_success'
)
SELECT run_id, event_id,
       CASE WHEN len(failed) > 0 AND redone IS NOT NULL THEN len(list_filter(redone, lambda u: NOT list_contains(failed, u))) > 0
            WHEN says_retry(said) AND regexp_matches(said, '\b(all|whole|entire|everything|full|complete)\b')
                 AND NOT says_changed(said) THEN true
            WHEN regexp_matches(said, 'fail(ed|ing)|remain|missing|\bonly\b') THEN false END AS violated,
       'after a partial success everything was run again: ' || coalesce(action, array_to_string(redone, ', ')) AS message,
       json_object('action', action, 'failed_units', failed, 'redone_units', redone) AS evidence
FROM partial
