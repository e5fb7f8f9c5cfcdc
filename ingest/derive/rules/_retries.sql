-- when: error_events WHERE action IS NOT NULL
-- when: error_events HAVING count(*) > count(DISTINCT run_id)
-- when: events WHERE kind = 'retry'
-- Every retry that the records tell of, one for each failure that was tried again: a recorded or derived `retry` event, an
-- Action that says so, or the same failure again in the same step. `is_bare`: nothing was changed; NULL: not recorded.
INSERT INTO retries BY NAME
WITH failures AS (
    SELECT run_id, event_id, seq, state_hash, step_index, phase, agent, location, error_code, signature,
           is_full(signature, signature_partial) AS is_full_signature, w.is_retry, coalesce(w.is_change, false) AS is_change
    FROM error_events LEFT JOIN action_words w USING (action)
),
-- The same failure by its full signature; and the same step at the same place, where other inputs show that it was changed.
placed AS (
    SELECT *, signature AS place FROM failures WHERE is_full_signature
    UNION ALL
    SELECT *, concat_ws(chr(31), step_index::VARCHAR, coalesce(phase, ''), coalesce(agent, ''),
                        regexp_replace(location, '(:\d+)+$', ''), coalesce(error_code, '')) AS place
    FROM failures WHERE step_index IS NOT NULL AND location IS NOT NULL
),
-- Counted before they are put in order: most failures stand alone.
repeated AS (
    SELECT * FROM placed WHERE (run_id, place) IN (SELECT (run_id, place) FROM placed GROUP BY run_id, place HAVING count(*) > 1)
),
again AS (
    SELECT run_id, lag(event_id) OVER before AS of_event, event_id AS retry_id, seq AS retry_seq,
           CASE WHEN state_hash <> lag(state_hash) OVER before THEN false
                WHEN lag(is_change) OVER before THEN false
                WHEN signature = lag(signature) OVER before AND is_full_signature THEN true END AS is_bare
    FROM repeated
    WINDOW before AS (PARTITION BY run_id, place ORDER BY seq)
),
told AS (
    SELECT run_id, of_event, retry_id, retry_seq, is_bare FROM again WHERE of_event IS NOT NULL
    UNION ALL
    SELECT run_id, event_id, event_id, seq, NOT is_change FROM failures WHERE is_retry
    UNION ALL
    SELECT run_id, json_extract_string(attributes, '$.of_event'), event_id, seq,
           CASE json_extract_string(attributes, '$.input') WHEN 'same' THEN true WHEN 'changed' THEN false END
    FROM events WHERE kind = 'retry' AND json_extract_string(attributes, '$.of_event') IS NOT NULL
)
SELECT told.run_id, arg_max(retry_id, retry_seq) AS event_id, of_event, max(retry_seq) AS seq,
       -- Where no step is recorded, the same failure at the same place or of the same agent is one; an agent alone is none.
       any_value(coalesce('step ' || e.step_index, CASE WHEN e.location IS NOT NULL THEN concat_ws(' ', e.error_code, e.location) END,
                          e.error_code || ' of ' || e.agent)) AS step,
       CASE WHEN bool_or(is_bare = false) THEN false WHEN bool_or(is_bare) THEN true END AS is_bare,
       bare_retry_is_right(any_value(e.tool_error_class), bool_or(e.transient), any_value(e.agent_error_code)) AS is_transient,
       any_value(e.tool_error_class) AS tool_error_class, any_value(e.agent_error_code) AS agent_error_code,
       any_value(e.signature) FILTER (is_full(e.signature, e.signature_partial)) AS signature
FROM told JOIN error_events e ON e.run_id = told.run_id AND e.event_id = told.of_event
GROUP BY told.run_id, of_event;
