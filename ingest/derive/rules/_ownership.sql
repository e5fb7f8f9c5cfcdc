-- From when until when each task had how many owners. A run that records no owner says nothing about ownership.
CREATE OR REPLACE TEMP TABLE owned AS
SELECT run_id, event_id, seq, task_id, agent, coalesce(since, occurred_at) AS since, until FROM task_owners;
CREATE OR REPLACE TEMP TABLE delegated AS
SELECT run_id, task_id, arg_min(event_id, seq) AS event_id, min(occurred_at) AS since
FROM delegations WHERE task_id IS NOT NULL AND NOT coalesce(denied, false) GROUP BY run_id, task_id;
