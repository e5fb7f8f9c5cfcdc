-- rule: partial-rerun-whole
-- severity: error
-- statement: All units are run again after partial_success.
-- needs: what was done after a partial success: the Action's words, or the units of the next attempt
-- advice: Redo only the failed units: a whole re-run repeats the effects of those that succeeded.
-- when: error_events WHERE tool_error_class = 'partial_success'
WITH partial AS (
    SELECT e.run_id, e.event_id, e.action, lower(e.action) AS said,
           -- "All failed shards" are the failed ones, not all of them.
           regexp_replace(lower(e.action), '\b(all|every|each|whole)( of)?( the)?( \d+)? (fail(ed|ing)|remaining|missing|unfinished)',
                          'the failed', 'g') AS of_all,
           json_extract_string(e.attributes, '$.failed_units[*]') AS failed,
           (SELECT arg_min(json_extract_string(a.attributes, '$.units[*]'), a.seq)
            FROM (SELECT run_id, seq, attributes FROM spans UNION ALL SELECT run_id, seq, attributes FROM error_events
                  UNION ALL SELECT run_id, seq, attributes FROM events) a
            WHERE a.run_id = e.run_id AND a.seq > e.seq
              -- Units of which none had failed are other work.
              AND list_has_any(json_extract_string(a.attributes, '$.units[*]'),
                               json_extract_string(e.attributes, '$.failed_units[*]'))) AS redone
    FROM error_events e WHERE e.tool_error_class = 'partial_success'
)
SELECT run_id, event_id,
       CASE WHEN len(failed) > 0 AND redone IS NOT NULL THEN len(list_filter(redone, lambda u: NOT list_contains(failed, u))) > 0
            WHEN says_retry(of_all) AND regexp_matches(of_all, '\b(all|whole|entire|everything|full|complete)\b')
                 AND of_all = said
                 AND NOT says_changed(said) THEN true
            WHEN regexp_matches(said, 'fail(ed|ing)|remain|missing|\bonly\b') THEN false END AS violated,
       'after a partial success everything was run again: ' || coalesce(action, array_to_string(redone, ', ')) AS message,
       json_object('action', action, 'failed_units', failed, 'redone_units', redone) AS evidence
FROM partial
