-- A reset, rollback, checkpoint or compaction, with what it keeps and what it did not. A compaction that lost the resume
-- contract is an unresumable run that looks healthy. What concerns stands first.
-- portable
WITH
-- include ../_chosen.sql
,
told AS (
    SELECT
        context_ops.run_id,
        context_ops.event_id,
        context_ops.op,
        CASE context_ops.op
            WHEN 'compaction' THEN 'facts, decisions, state, next action'
            WHEN 'reset' THEN 'the durable checkpoint and artifacts only'
            WHEN 'checkpoint' THEN 'everything, resumable'
            WHEN 'rollback' THEN 'the checkpoint it returns to'
        END AS keeps,
        context_ops.trigger_no,
        CASE context_ops.trigger_no
            WHEN 1 THEN 'signature seen twice'
            WHEN 2 THEN 'plan and workspace disagree'
            WHEN 3 THEN 'directly conflicting instructions'
            WHEN 4 THEN 'a file, tool or symbol that does not exist'
            WHEN 5 THEN 'token budget left under one full step'
            WHEN 6 THEN 'untrusted content steering the run'
            WHEN 7 THEN 'checkpoint integrity failed'
        END AS trigger_means,
        context_ops.escalated,
        context_ops.resume_contract_kept,
        CASE
            WHEN EXISTS (
                SELECT 1 FROM findings
                WHERE findings.run_id = context_ops.run_id AND findings.event_id = context_ops.event_id
                  AND findings.rule = 'reset-silent'
            ) THEN 'silent reset'
            WHEN context_ops.op = 'compaction' AND context_ops.resume_contract_kept = false THEN 'resume contract lost'
            WHEN context_ops.op = 'compaction' AND context_ops.resume_contract_kept IS NULL THEN 'resume contract not recorded'
        END AS concern,
        context_ops.agent,
        context_ops.details,
        context_ops.occurred_at,
        chosen.run_name,
        chosen.workload,
        chosen.started_at,
        context_ops.seq
    FROM context_ops
    JOIN chosen ON chosen.run_id = context_ops.run_id
)
SELECT
    run_id,
    event_id,
    op,
    keeps,
    trigger_no,
    trigger_means,
    escalated,
    resume_contract_kept,
    concern,
    agent,
    details,
    occurred_at,
    run_name,
    workload,
    count(*) OVER () AS matching
FROM told
ORDER BY concern IS NULL, started_at DESC NULLS LAST, run_id, seq
LIMIT $limit OFFSET $offset
