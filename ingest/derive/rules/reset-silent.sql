-- rule: reset-silent
-- severity: critical
-- statement: A reset on trigger 6 (untrusted content) or 7 (checkpoint integrity) without escalation.
-- needs: the trigger of the reset, and whether it was escalated
-- advice: Triggers 6 and 7 escalate: a person has to see what steered the run or broke the checkpoint.
-- when: context_ops WHERE op = 'reset'
SELECT o.run_id, o.event_id,
       CASE WHEN o.trigger_no IS NULL THEN NULL WHEN o.trigger_no NOT IN (6, 7) OR o.escalated THEN false
            WHEN EXISTS (SELECT 1 FROM error_events e WHERE e.run_id = o.run_id AND e.seq > o.seq
                         AND (e.level IN ('L4', 'L5') OR e.result = 'ESCALATED')) THEN false
            WHEN o.escalated = false THEN true END AS violated,
       'reset on trigger ' || o.trigger_no || CASE o.trigger_no WHEN 6 THEN ' (untrusted content steering the run)'
           ELSE ' (checkpoint integrity failed)' END || ' without escalation' AS message,
       json_object('trigger_no', o.trigger_no, 'escalated', o.escalated, 'agent', o.agent) AS evidence
FROM context_ops o WHERE o.op = 'reset'
