-- rule: budget-open
-- severity: error
-- statement: Work is recorded after a budget was exceeded.
-- needs: a budget failure (class budget_exceeded, reason budget_exhausted, or a runtime's budget error)
-- advice: A budget must close the run: find what goes on consuming after it.
-- when: error_events WHERE failure_class = 'budget_exceeded' OR contains(lower(concat_ws(' ', error_code, type)), 'budget') OR contract_class IS NOT NULL AND contains(lower(details), 'budget')
-- when: guardrail_events WHERE reason_code = 'budget_exhausted'
WITH exceeded AS (
    SELECT run_id, min(seq) AS seq, arg_min(event_id, seq) AS event_id, arg_min(what, seq) AS what,
           arg_min(span_id, seq) AS span_id, arg_min(step_index, seq) AS step_index
    FROM (
        SELECT run_id, seq, event_id, coalesce(failure_class, error_code, type) AS what, span_id, step_index FROM error_events
        WHERE failure_class = 'budget_exceeded' -- A budget's name alone does not say that it was exceeded: it may be a warning, or its service that failed.
           OR regexp_matches(lower(concat_ws(' ', error_code, type)), 'budget.*(exceed|exhaust|overrun|spent|reached)|(exceed|exhaust|over).*budget')
           OR contract_class IS NOT NULL AND regexp_matches(lower(details), 'budget.*(exceed|exhaust)')
        UNION ALL
        SELECT run_id, seq, event_id, reason_code, NULL, step_index FROM guardrail_events WHERE reason_code = 'budget_exhausted'
    ) GROUP BY run_id
),
work AS (
    SELECT x.run_id, arg_min(s.id, s.seq) AS first_id, arg_min(s.what, s.seq) AS first_what, count(*) AS n
    FROM exceeded x JOIN (
        SELECT run_id, seq, span_id AS id, coalesce(name, kind, 'span') AS what, step_index, phase FROM spans
        WHERE status IS DISTINCT FROM 'not_reached'
        UNION ALL
        SELECT run_id, seq, event_id, kind, step_index, phase FROM events
        WHERE kind IN ('STEP_START', 'TOOL_CALL_START', 'agent_start', 'tool_use', 'step_enter')
    ) s ON s.run_id = x.run_id AND s.seq > x.seq AND s.id IS DISTINCT FROM x.span_id
         AND coalesce(s.phase, '') NOT IN ('ABORTED', 'FINALIZE', 'DELIVER')
         AND (s.step_index IS DISTINCT FROM x.step_index OR x.step_index IS NULL)
    GROUP BY x.run_id
),
recorded AS (SELECT DISTINCT run_id FROM spans UNION SELECT run_id FROM events)
SELECT x.run_id, coalesce(w.first_id, x.event_id) AS event_id,
       CASE WHEN w.n > 0 THEN true WHEN r.run_id IS NULL THEN NULL ELSE false END AS violated,
       w.n || ' pieces of work after ' || x.what || ', the first: ' || w.first_what AS message,
       json_object('budget_event', x.event_id, 'work_after', w.n, 'first', w.first_id) AS evidence
FROM exceeded x LEFT JOIN work w USING (run_id) LEFT JOIN recorded r USING (run_id)
