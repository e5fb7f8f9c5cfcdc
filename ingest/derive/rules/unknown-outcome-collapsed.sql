-- rule: unknown-outcome-collapsed
-- severity: critical
-- statement: An unknown_outcome is later summarised as failed, or retried before its resource was checked.
-- needs: the resource, or the check of it, or what was done next
-- advice: Check the resource first and carry the outcome verbatim with it. It may have happened: never "failed".
-- when: error_events WHERE tool_error_class = 'unknown_outcome'
WITH unknown AS (
    SELECT e.run_id, e.event_id, e.seq, e.step_index, lower(trim(coalesce(e.resource, target_of(e.attributes)))) AS target, e.resource,
           e.checked_state, coalesce(says_checked(e.action), false) AS is_checked_first,
           (SELECT min(c.seq) FROM error_events c
            WHERE c.run_id = e.run_id AND c.seq > e.seq AND c.checked_state IS NOT NULL
              AND lower(trim(c.resource)) = lower(trim(e.resource))) AS checked_seq
    FROM error_events e WHERE e.tool_error_class = 'unknown_outcome'
),
read AS (
    SELECT u.*,
           (SELECT min(r.event_id) FROM retries r
            WHERE r.run_id = u.run_id AND r.of_event = u.event_id AND NOT u.is_checked_first AND (u.checked_seq IS NULL OR r.seq < u.checked_seq))
               AS retried_by,
           (SELECT arg_min(a.act_id, a.seq) FROM acts a
            WHERE a.run_id = u.run_id AND a.seq > u.seq AND a.target = u.target AND a.is_failed AND NOT a.is_escalation
              AND a.tool_error_class IS DISTINCT FROM 'unknown_outcome' AND (u.checked_seq IS NULL OR a.seq < u.checked_seq))
               AS called_failed_by,
           (SELECT arg_min(s.event_id, s.seq) FROM events s
            WHERE s.run_id = u.run_id AND s.seq > u.seq AND s.kind = 'step_complete' AND s.step_index = u.step_index
              AND json_extract_string(s.attributes, '$.status') = 'FAILED'
              AND (u.checked_seq IS NULL OR s.seq < u.checked_seq)) AS step_failed_by
    FROM unknown u
)
SELECT run_id, event_id,
       CASE WHEN checked_state IS NOT NULL THEN false
            WHEN coalesce(retried_by, called_failed_by, step_failed_by) IS NOT NULL THEN true
            WHEN resource IS NOT NULL OR checked_seq IS NOT NULL THEN false END AS violated,
       'an effect that may exist' || coalesce(' on ' || resource, '')
           || CASE WHEN retried_by IS NOT NULL THEN ' was retried before it was checked' ELSE ' was called failed without a check' END
           AS message,
       json_object('resource', resource, 'retried_by', retried_by,
                   'called_failed_by', coalesce(called_failed_by, step_failed_by)) AS evidence
FROM read
