-- A fault that looks like "still running": a circulating task with its loop, a cycle of waits, an overdue wait, a task without
-- or with two owners, a degraded agent. Each is a finding of its rule; `members` are the agents in order.
-- portable
WITH
-- include ../_chosen.sql
,
faults AS (
    SELECT
        findings.run_id,
        CASE findings.rule
            WHEN 'task-circulates' THEN 'circulating task'
            WHEN 'wait-cycle' THEN 'wait cycle'
            WHEN 'wait-overdue' THEN 'overdue wait'
            WHEN 'task-unowned' THEN 'task without owner'
            WHEN 'task-two-owners' THEN 'task with two owners'
            WHEN 'agent-degraded' THEN 'degraded agent'
        END AS kind,
        list_filter(
            coalesce(findings.said.loop, []) || coalesce(findings.said.cycle, []) || coalesce(findings.said.owners, [])
                || coalesce(findings.said.agents, [])
                || [findings.said.waiter, findings.said.holder, findings.said.agent, findings.said.owner],
            lambda member: member IS NOT NULL
        ) AS members,
        findings.message AS detail,
        findings.event_id,
        findings.seq,
        findings.said.task AS task_id
    FROM (
        SELECT
            run_id,
            rule,
            message,
            event_id,
            seq,
            from_json(evidence, '{
                "loop": ["VARCHAR"], "cycle": ["VARCHAR"], "owners": ["VARCHAR"], "agents": ["VARCHAR"],
                "waiter": "VARCHAR", "holder": "VARCHAR", "agent": "VARCHAR", "owner": "VARCHAR", "task": "VARCHAR"
            }') AS said
        FROM findings
        WHERE rule IN ('task-circulates', 'wait-cycle', 'wait-overdue', 'task-unowned', 'task-two-owners', 'agent-degraded')
    ) AS findings
)
SELECT
    faults.run_id,
    faults.kind,
    faults.members,
    faults.detail,
    faults.event_id,
    faults.task_id,
    chosen.run_name,
    chosen.workload,
    chosen.started_at,
    count(*) OVER () AS matching
FROM faults
JOIN chosen ON chosen.run_id = faults.run_id
ORDER BY chosen.started_at DESC NULLS LAST, faults.run_id, faults.seq NULLS FIRST, faults.kind, faults.event_id
LIMIT $limit OFFSET $offset
