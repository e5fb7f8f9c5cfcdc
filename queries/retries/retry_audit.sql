-- Every failure that was tried again, with its verdict. The first that holds: after a denial, before the state was checked,
-- wrong class, unchanged, over the budget of its step or of the run, not recorded whether anything changed, legitimate.
-- `caused_by`: the retry whose own failure this one tries again, or that ran above it; NULL where no record says so.
-- portable
WITH
-- include ../_chosen.sql
,
-- include _judged.sql
,
counted AS (
    SELECT count(*) AS matching
    FROM judged
    WHERE ($verdict IS NULL OR verdict = $verdict)
),
-- Only those that are shown are read whole.
shown AS (
    SELECT
        judged.run_id,
        judged.of_event,
        judged.seq,
        judged.verdict,
        chosen.run_name,
        chosen.workload,
        chosen.started_at
    FROM judged
    JOIN chosen ON chosen.run_id = judged.run_id
    WHERE ($verdict IS NULL OR judged.verdict = $verdict)
    ORDER BY chosen.started_at DESC NULLS LAST, judged.run_id, judged.seq, judged.of_event
    LIMIT $limit OFFSET $offset
)
SELECT
    retry_facts.run_id,
    retry_facts.event_id,
    retry_facts.of_event,
    retry_facts.attempt,
    shown.verdict,
    retry_facts.step,
    retry_facts.agent,
    retry_facts.location,
    retry_facts.error_code,
    retry_facts.tool_error_class,
    retry_facts.action,
    retry_facts.signature,
    retry_facts.caused_by,
    retry_facts.used_in_run AS budget_used,
    CAST($per_run AS BIGINT) AS budget_of_run,
    shown.run_name,
    shown.workload,
    shown.started_at,
    counted.matching
FROM shown
JOIN retry_facts ON retry_facts.run_id = shown.run_id AND retry_facts.of_event = shown.of_event
CROSS JOIN counted
ORDER BY shown.started_at DESC NULLS LAST, shown.run_id, shown.seq, shown.of_event
