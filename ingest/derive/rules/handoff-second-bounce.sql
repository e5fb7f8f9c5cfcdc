-- rule: handoff-second-bounce
-- severity: error
-- statement: A second refusal on one edge and condition.
-- needs: both sides and the condition of a refused hand-off
-- advice: One bounce per edge: name the missing item, or let a third decide. A refusal is neither an error nor a retry.
-- when: handoffs WHERE status = 'refused'
WITH refusals AS (
    SELECT run_id, event_id, from_agent, to_agent, condition, bounce,
           row_number() OVER (PARTITION BY run_id, from_agent, to_agent, lower(trim(condition)) ORDER BY seq) AS nth
    FROM handoffs WHERE status = 'refused'
)
SELECT run_id, event_id,
       CASE WHEN bounce >= 2 THEN true WHEN from_agent IS NULL OR to_agent IS NULL OR condition IS NULL THEN NULL
            ELSE nth = 2 END AS violated,
       coalesce(to_agent, 'the receiver') || ' refused ' || coalesce(from_agent, 'the sender') || ' a second time on condition '
           || coalesce(condition, 'not recorded') AS message,
       json_object('from', from_agent, 'to', to_agent, 'condition', condition, 'bounce', coalesce(bounce, nth)) AS evidence
FROM refusals
