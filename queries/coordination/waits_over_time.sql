-- A wait of one agent for another, with its deadline and whether it is on a cycle. Newest run first, then as they began.
-- portable
WITH
-- include ../_chosen.sql
SELECT
    recorded.run_id,
    recorded.event_id,
    recorded.waiter,
    recorded.holder,
    recorded.waits_for,
    recorded.since,
    recorded.deadline,
    recorded.until,
    EXISTS (
        SELECT 1 FROM wait_cycles
        WHERE wait_cycles.run_id = recorded.run_id AND list_contains(wait_cycles.waits, recorded.event_id)
    ) AS on_cycle,
    EXISTS (
        SELECT 1 FROM findings
        WHERE findings.run_id = recorded.run_id AND findings.event_id = recorded.event_id AND findings.rule = 'wait-overdue'
    ) AS overdue,
    chosen.run_name,
    chosen.workload,
    count(*) OVER () AS matching
FROM waits AS recorded
JOIN chosen ON chosen.run_id = recorded.run_id
ORDER BY chosen.started_at DESC NULLS LAST, recorded.run_id, recorded.since NULLS LAST, recorded.seq
LIMIT $limit OFFSET $offset
