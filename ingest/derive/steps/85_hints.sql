-- when: error_events WHERE phase IS NOT NULL
-- when: guardrail_events WHERE reason_code = 'out_of_grant'
-- when: spans WHERE upper(phase) IN ('VERIFY', 'CHECK')
-- `hints`: the lines of the misattribution table that a record of the run matches. Whether a failure at VERIFY is the same
-- correction again is told by other runs: it stands here with its signature, and the query counts the runs.
DELETE FROM hints;
INSERT INTO hints BY NAME
WITH errors AS (
    SELECT
        error_events.run_id,
        error_events.event_id,
        error_events.seq,
        error_events.signature,
        error_events.signature_partial,
        coalesce(phase_order.phase, upper(error_events.phase)) AS phase,
        lower(concat_ws(' ', error_events.type, error_events.error_code, error_events.details)) AS words,
        coalesce(error_events.type, error_events.error_code, 'error') AS named
    FROM error_events
    LEFT JOIN phase_order
        ON phase_order.lifecycle = 'nexus'
       AND phase_order.alias = upper(replace(replace(error_events.phase, ' ', '_'), '-', '_'))
),
-- Each text is read once, however many errors say it.
read AS (
    SELECT
        phase,
        words,
        phase = 'EXECUTE' AND regexp_matches(words, '\b(deprecated|superseded|obsolete|no longer (exists|supported|available)|was removed|has been removed|unknown (command|option))\b')
            AS superseded,
        phase IN ('AGGREGATE', 'REVIEW') AND regexp_matches(words, '(outside (the|its|of)|out of scope|out.of.scope|unrelated (file|change)|not in scope|scope (violation|creep))')
            AS outside,
        phase = 'REVIEW' AND regexp_matches(words, '((diff|change|patch)\w*.{0,30}(too large|too big|larger|oversized|exceeds)|(large|oversized|huge).{0,12}(diff|change|patch))')
            AS oversized
    FROM (SELECT DISTINCT phase, words FROM errors WHERE phase IN ('EXECUTE', 'AGGREGATE', 'REVIEW')) AS told
)
SELECT errors.run_id, errors.event_id, symptom, 'error' AS record_kind, errors.event_id AS record_id,
       concat_ws(' ', errors.named, 'in', errors.phase || ':', left(errors.words, 120)) AS evidence
FROM errors
JOIN (
    SELECT phase, words, 'superseded command or API repeated' AS symptom FROM read WHERE superseded
    UNION ALL
    SELECT phase, words, 'edits land outside the intended area' FROM read WHERE outside
    UNION ALL
    SELECT phase, words, 'diff far larger than the task' FROM read WHERE oversized
) AS matched ON matched.phase = errors.phase AND matched.words = errors.words
UNION ALL
SELECT run_id, event_id, 'superseded command or API repeated', 'context step', step_id,
       concat_ws(' ', 'step', step_id, 'consumed', item_id || '@' || revision,
                 'while current is', coalesce(current_revision, 'another source'))
FROM (
    SELECT errors.run_id, errors.event_id, context_steps.step_id, context_lost.item_id, context_lost.revision,
           context_lost.current_revision,
           row_number() OVER (
               PARTITION BY errors.run_id, errors.event_id
               ORDER BY context_steps.seq DESC, context_lost.item_id, context_lost.step_id, context_lost.revision) AS place
    FROM errors
    JOIN context_steps
        ON context_steps.run_id = errors.run_id AND context_steps.stage_no = 5 AND context_steps.seq <= errors.seq
    JOIN context_lost
        ON context_lost.run_id = context_steps.run_id AND context_lost.step_id = context_steps.step_id
       AND context_lost.stage_no = 5
    WHERE errors.phase = 'EXECUTE'
) AS stale
WHERE place = 1
UNION ALL
SELECT run_id, event_id, 'edits land outside the intended area', 'guardrail', event_id,
       concat_ws(' ', 'denied as out_of_grant:', coalesce(details, trigger))
FROM guardrail_events
WHERE reason_code = 'out_of_grant'
UNION ALL
SELECT run_id, event_id, 'same correction run after run', 'signature', signature, CAST(NULL AS VARCHAR)
FROM errors
WHERE phase = 'VERIFY' AND signature_partial = false
UNION ALL
-- The agent that checked is the one that produced, the check passed, and the run went wrong all the same.
SELECT run_id, CAST(NULL AS VARCHAR), 'a step passes but the result is wrong', 'span', span_id,
       concat_ws(' ', agent, 'passed its own work at', phase || ', and the run', status)
FROM (
    SELECT checks.run_id, checks.span_id, checks.agent, checks.phase, runs.status,
           row_number() OVER (PARTITION BY checks.run_id ORDER BY checks.seq DESC) AS place
    FROM spans AS checks
    JOIN runs ON runs.run_id = checks.run_id
    JOIN (
        SELECT run_id, agent, min(seq) AS seq FROM spans
        WHERE upper(phase) IN ('EXECUTE', 'EXECUTE_LOOP', 'DO')
        GROUP BY run_id, agent
    ) AS work ON work.run_id = checks.run_id AND work.agent = checks.agent AND work.seq < checks.seq
    WHERE runs.status IN ('failed', 'vetoed', 'aborted')
      AND upper(checks.phase) IN ('VERIFY', 'CHECK') AND checks.status = 'ok'
) AS passed
WHERE place = 1;
