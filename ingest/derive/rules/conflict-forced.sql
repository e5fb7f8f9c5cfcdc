-- rule: conflict-forced
-- severity: error
-- statement: A state_conflict is forced without re-reading.
-- needs: the Action taken after the conflict
-- advice: Re-read the state, update the plan, then act. Never force a stale precondition.
-- when: error_events WHERE tool_error_class = 'state_conflict'
WITH taken AS (
    SELECT e.run_id, e.event_id, concat_ws(' / ', e.action, string_agg(s.action, ' / ' ORDER BY s.step)) AS said
    FROM error_events e
    LEFT JOIN recovery_events r ON r.run_id = e.run_id AND r.error_event_id = e.event_id
    LEFT JOIN recovery_steps s ON s.run_id = r.run_id AND s.event_id = r.event_id
    WHERE e.tool_error_class = 'state_conflict'
    GROUP BY e.run_id, e.event_id, e.action
)
SELECT run_id, event_id,
       CASE WHEN said = '' THEN NULL
            WHEN regexp_matches(regexp_replace(lower(said), '\bforced?[- ](merge|pull|rebase)', 'force', 'g'), 're-?read|re-?fetch|refresh|rebas|\bpull|\bmerge|reload|replan|re-plan|update the plan')
            THEN false
            ELSE regexp_matches(without_refused(said, 'forc|overwr|clobber|ignor'),
                                '\bforc(e|ed|es|ing|ibly)\b|\boverwr|--hard|\bclobber|\bignore (the )?(conflict|revision)')
                 OR says_retry(said) AND NOT says_changed(said) END AS violated,
       'a state conflict was forced without re-reading: ' || said AS message,
       json_object('action', said) AS evidence
FROM taken
