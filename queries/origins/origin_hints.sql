-- A hint that a failure originated elsewhere than it was reported: one line of the misattribution table that a record of the
-- run matches, with that record. A hint names a usual place and is no finding: it says where to look next.
WITH chosen AS (
    SELECT
        run_id,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        status,
        parent_run_id,
        started_at
    FROM runs
    WHERE ($run IS NULL OR run_id = $run OR native_id = $run)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
symptoms (symptom, reported_at, usually_originates_in) AS (
    VALUES
    ('superseded command or API repeated', 'EXECUTE', 'stale instruction or memory'),
    ('edits land outside the intended area', 'AGGREGATE / review', 'scope never declared at spawn'),
    ('same correction run after run', 'VERIFY', 'acceptance criteria absent or unmeasurable at CLASSIFY'),
    ('diff far larger than the task', 'review', 'non-goals unstated, write scope unbounded'),
    ('a step passes but the result is wrong', 'VERIFY', 'the check is not independent of the producer'),
    ('only the delegated or background run fails', 'EXECUTE', 'environment or context parity')
),
errors AS (
    SELECT
        error_events.run_id,
        error_events.event_id,
        error_events.seq,
        error_events.signature,
        error_events.signature_partial,
        error_events.agent,
        error_events.context_failure_class,
        coalesce(phase_order.phase, upper(error_events.phase)) AS phase,
        lower(concat_ws(' ', error_events.type, error_events.error_code, error_events.details)) AS words,
        coalesce(error_events.type, error_events.error_code, 'error') AS named
    FROM error_events
    JOIN chosen ON chosen.run_id = error_events.run_id
    LEFT JOIN phase_order
        ON phase_order.lifecycle = 'nexus'
       AND phase_order.alias = upper(replace(replace(error_events.phase, ' ', '_'), '-', '_'))
),
met (run_id, event_id, symptom, record_kind, record_id, evidence) AS (
    SELECT run_id, event_id, 'superseded command or API repeated', 'error', event_id,
        concat_ws(' ', named, 'in', phase || ':', left(words, 120))
    FROM errors
    WHERE phase = 'EXECUTE' AND regexp_matches(words, '\b(deprecated|superseded|obsolete|no longer (exists|supported|available)|was removed|has been removed|unknown (command|option))\b')
    UNION ALL
    SELECT errors.run_id, errors.event_id, 'superseded command or API repeated', 'context step', context_steps.step_id,
        concat_ws(' ', 'step', context_steps.step_id, 'consumed', context_lost.item_id || '@' || context_lost.revision,
                  'while current is', coalesce(context_lost.current_revision, 'another source'))
    FROM errors
    JOIN context_steps ON context_steps.run_id = errors.run_id AND context_steps.stage_no = 5 AND context_steps.seq <= errors.seq
    JOIN context_lost
        ON context_lost.run_id = context_steps.run_id AND context_lost.step_id = context_steps.step_id AND context_lost.stage_no = 5
    WHERE errors.phase = 'EXECUTE'
    QUALIFY row_number() OVER (PARTITION BY errors.run_id, errors.event_id ORDER BY context_steps.seq DESC, context_lost.item_id) = 1
    UNION ALL
    SELECT run_id, event_id, 'edits land outside the intended area', 'error', event_id,
        concat_ws(' ', named, 'in', phase || ':', left(words, 120))
    FROM errors
    WHERE phase IN ('AGGREGATE', 'REVIEW')
      AND regexp_matches(words, '(outside (the|its|of)|out of scope|out.of.scope|unrelated (file|change)|not in scope|scope (violation|creep))')
    UNION ALL
    SELECT guardrail_events.run_id, guardrail_events.event_id, 'edits land outside the intended area', 'guardrail',
        guardrail_events.event_id, concat_ws(' ', 'denied as out_of_grant:', coalesce(guardrail_events.details, guardrail_events.trigger))
    FROM guardrail_events
    JOIN chosen ON chosen.run_id = guardrail_events.run_id
    WHERE guardrail_events.reason_code = 'out_of_grant'
    UNION ALL
    SELECT errors.run_id, errors.event_id, 'same correction run after run', 'signature', errors.signature,
        concat_ws(' ', 'signature', errors.signature, 'was met at VERIFY in', repeated.runs, 'runs')
    FROM errors
    JOIN (
        SELECT signature, count(DISTINCT run_id) AS runs
        FROM errors
        WHERE phase = 'VERIFY' AND signature_partial = false
        GROUP BY signature
        HAVING count(DISTINCT run_id) > 1
    ) AS repeated ON repeated.signature = errors.signature
    WHERE errors.phase = 'VERIFY' AND errors.signature_partial = false
    UNION ALL
    SELECT run_id, event_id, 'diff far larger than the task', 'error', event_id,
        concat_ws(' ', named, 'in', phase || ':', left(words, 120))
    FROM errors
    WHERE phase = 'REVIEW'
      AND regexp_matches(words, '((diff|change|patch)\w*.{0,30}(too large|too big|larger|oversized|exceeds)|(large|oversized|huge).{0,12}(diff|change|patch))')
    UNION ALL
    -- The agent that checked is the one that produced, the check passed, and the run went wrong all the same.
    SELECT checks.run_id, CAST(NULL AS VARCHAR), 'a step passes but the result is wrong', 'span', checks.span_id,
        concat_ws(' ', checks.agent, 'passed its own work at', checks.phase || ', and the run', chosen.status)
    FROM spans AS checks
    JOIN chosen ON chosen.run_id = checks.run_id
    WHERE chosen.status IN ('failed', 'vetoed', 'aborted')
      AND upper(checks.phase) IN ('VERIFY', 'CHECK') AND checks.status = 'ok'
      AND EXISTS (
          SELECT 1 FROM spans AS work
          WHERE work.run_id = checks.run_id AND work.agent = checks.agent
            AND upper(work.phase) IN ('EXECUTE', 'EXECUTE_LOOP', 'DO') AND work.seq < checks.seq
      )
    QUALIFY row_number() OVER (PARTITION BY checks.run_id ORDER BY checks.seq DESC) = 1
    UNION ALL
    SELECT chosen.run_id, (
            SELECT arg_max(errors.event_id, errors.seq) FROM errors WHERE errors.run_id = chosen.run_id
        ), 'only the delegated or background run fails', 'run', parents.run_id,
        concat_ws(' ', 'the run', chosen.status || ', its parent', parents.run_id, parents.status)
    FROM chosen
    JOIN runs AS parents ON parents.run_id = chosen.parent_run_id OR parents.native_id = chosen.parent_run_id
    WHERE chosen.status IN ('failed', 'aborted') AND parents.status = 'succeeded'
)
SELECT
    met.run_id,
    met.event_id,
    met.symptom,
    symptoms.reported_at,
    symptoms.usually_originates_in,
    met.record_kind,
    met.record_id,
    met.evidence,
    chosen.workload,
    chosen.run_name,
    count(*) OVER () AS matching
FROM met
JOIN symptoms ON symptoms.symptom = met.symptom
JOIN chosen ON chosen.run_id = met.run_id
ORDER BY chosen.started_at DESC NULLS LAST, met.run_id, met.event_id NULLS LAST, met.symptom, met.record_id
LIMIT $limit
