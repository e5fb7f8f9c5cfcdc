-- rule: retry-unchanged
-- severity: error
-- statement: A full signature repeats in a run with neither action nor evidence changed, except transport or transient errors up to 3.
-- needs: errors with a full signature (stage, code, location, state hash); a partial one is only possibly the same
-- advice: Stop and diagnose: another parameter change is thrash. Change the action or the evidence before the next attempt.
-- when: error_events WHERE signature IS NOT NULL
WITH repeated AS (
    SELECT run_id, signature FROM error_events WHERE signature IS NOT NULL GROUP BY run_id, signature HAVING count(*) > 1
),
seen AS (
    SELECT run_id, event_id, seq, signature, is_full(signature, signature_partial) AS whole, error_code,
           may_be_retried(tool_error_class, transient, agent_error_code) AS is_transient,
           coalesce(lag(w.is_change) OVER before, false)
               OR coalesce(json_extract_string(attributes, '$.evidence')
                           <> lag(json_extract_string(attributes, '$.evidence')) OVER before, false) AS is_changed,
           row_number() OVER before AS nth
    FROM error_events JOIN repeated USING (run_id, signature) LEFT JOIN action_words w USING (action)
    WINDOW before AS (PARTITION BY run_id, signature ORDER BY seq)
),
counted AS (
    SELECT run_id, signature, bool_and(whole) AS whole, any_value(error_code) AS error_code, bool_and(is_transient) AS is_transient,
           count(*) AS occurrences, count(*) FILTER (nth > 1 AND NOT is_changed) AS repeats,
           arg_max(event_id, seq) AS event_id, list(event_id ORDER BY seq)[:20] AS event_ids
    FROM seen GROUP BY run_id, signature
)
SELECT run_id, event_id,
       CASE WHEN whole THEN repeats > CASE WHEN is_transient THEN 3 ELSE 0 END
            WHEN occurrences > 1 THEN NULL ELSE false END AS violated,
       'the same failure ' || coalesce(error_code || ' ', '') || 'occurred ' || occurrences || ' times: 1 attempt and ' || repeats
           || CASE repeats WHEN 1 THEN ' repeat' ELSE ' repeats' END || ', neither action nor evidence changed' AS message,
       json_object('signature', signature, 'attempts', 1, 'repeats', repeats, 'occurrences', occurrences, 'events', event_ids)
           AS evidence
FROM counted
UNION ALL
SELECT run_id, NULL, false, NULL, NULL
FROM error_events WHERE is_full(signature, signature_partial) AND run_id NOT IN (SELECT run_id FROM counted WHERE whole)
GROUP BY run_id
