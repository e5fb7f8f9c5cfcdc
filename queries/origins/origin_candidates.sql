-- A step that a failure of one run ($run; of its error $event, else of its last error, else of its end) may have originated
-- in: a suspicion with the rule that raised it and its evidence, derived from records, never a verdict and never a diagnosis.
-- Every rule is a claim about one step that is true or not; `score` is the step's share of exp(sum of the weights of its
-- rules) over all steps of the run that were looked at. With $all_steps, also steps that nothing speaks for.
WITH
-- Weights by the shape of the run. `records` are set by hand and fitted to nothing. The others were fitted by
-- tests/attribution/fit.py (a regularised choice among the steps of each run) to the files it names, which are no evidence
-- for them; tests/attribution/RESULTS.md measures them by cross-validation. A negative weight speaks against a step.
weights (shape, rule, weight) AS (
    VALUES
    -- weights: begin
    ('group', 'first-code-run', 0.590),
    ('group', 'first-answer', 0.582),
    ('group', 'by-hand', 0.497),
    ('group', 'assumed-data', 0.464),
    ('group', 'concludes-unchecked', 0.312),
    ('group', 'code-not-run', 0.204),
    ('group', 'before-first-failure', 0.105),
    ('group', 'task-statement', -0.172),
    ('group', 'late', -0.236),
    ('group', 'farewell', -0.268),
    ('group', 'environment', -0.621),
    ('ledger', 'action', 0.708),
    ('ledger', 'third-action', 0.524),
    ('ledger', 'second-action', 0.344),
    ('ledger', 'last-action', 0.326),
    ('ledger', 'typed-query', 0.319),
    ('ledger', 'first-replan', 0.080),
    ('ledger', 'declared-satisfied', 0.061),
    ('ledger', 'instruction', -0.255),
    ('ledger', 'late-action', -0.257),
    ('ledger', 'turn-taking', -0.282),
    ('ledger', 'ledger', -0.298),
    ('tools', 'changes-state', 0.701),
    ('tools', 'later-part', 0.432),
    ('tools', 'changed-request', 0.401),
    ('tools', 'first-reading', 0.302),
    ('tools', 'rejected-call', 0.223),
    ('tools', 'task-statement', -0.064),
    ('tools', 'environment', -0.471)
    -- weights: end
    ,
    ('records', 'context-stage-proven', 3.0),
    ('records', 'first-divergence', 2.6),
    ('records', 'error-chain', 2.4),
    ('records', 'context-stage', 2.2),
    ('records', 'data-flow', 2.0),
    ('records', 'repeated-signature', 1.8),
    ('records', 'delegation', 1.4),
    ('records', 'observed-there', 0.2)
),
-- include ../_one_run.sql
,
-- What is joined more than once is read once, and of this run alone.
spans_of_run AS MATERIALIZED (
    SELECT run_id, span_id, parent_span_id, seq, kind, name, agent, step_index, attributes
    FROM spans
    WHERE run_id IN (SELECT run_id FROM chosen)
),
recovery_events_of_run AS MATERIALIZED (
    SELECT run_id, error_event_id, outcome, seq
    FROM recovery_events
    WHERE run_id IN (SELECT run_id FROM chosen)
),
context_lost_of_run AS MATERIALIZED (
    SELECT run_id, step_id, stage_no, item_id, required
    FROM context_lost
    WHERE run_id IN (SELECT run_id FROM chosen)
),
context_items_of_run AS MATERIALIZED (
    SELECT run_id, step_id, set_name, item_id
    FROM context_items
    WHERE run_id IN (SELECT run_id FROM chosen)
),
-- ---------------------------------------------------------------------------------------------------------- messages
messages AS (
    SELECT
        run_id,
        span_id,
        seq,
        coalesce(step_index, row_number() OVER (PARTITION BY run_id ORDER BY seq) - 1) AS step_index,
        agent,
        coalesce(name, agent) AS speaker,
        coalesce(json_extract_string(attributes, '$.content'), '') AS content,
        coalesce(json_extract_string(attributes, '$.role'), '') AS role,
        coalesce(
            json_extract_string(attributes, '$.tool_calls[*].function.name'), CAST([] AS VARCHAR[])
        ) AS calls
    FROM spans_of_run AS spans
    WHERE (kind = 'message' OR (kind = 'tool' AND json_extract_string(attributes, '$.role') = 'tool'))
      AND run_id IN (SELECT run_id FROM chosen)
),
shapes AS (
    SELECT
        run_id,
        CASE WHEN bool_or(starts_with(content, 'Updated Ledger')) THEN 'ledger'
             WHEN bool_or(role = 'tool' OR len(calls) > 0) THEN 'tools'
             ELSE 'group' END AS shape,
        any_value(agent) FILTER (starts_with(content, 'Updated Ledger')) AS orchestrator
    FROM messages
    GROUP BY run_id
),
turns AS (
    SELECT
        messages.run_id,
        messages.span_id,
        messages.seq,
        messages.step_index,
        messages.agent,
        messages.speaker,
        messages.content,
        messages.role,
        messages.calls,
        shapes.shape,
        row_number() OVER run AS nth,
        count(*) OVER (PARTITION BY messages.run_id) AS turns_of_run,
        coalesce(lag(messages.role) OVER run, '') AS role_before,
        coalesce(lead(messages.role) OVER run, '') AS role_after,
        coalesce(lead(messages.content) OVER run, '') AS content_after,
        contains(messages.content, '```') AS has_code,
        regexp_matches(messages.content, '^(exitcode: |There is no code from the last)') OR messages.role = 'tool' AS is_environment,
        length(trim(messages.content)) < 40 AND contains(messages.content, 'TERMINATE') AS is_farewell,
        len(list_filter(messages.calls, lambda call: NOT regexp_matches(call, '^(get_|list_|find_|search_|read_|lookup|think|calculate)'))) > 0
            AS changes_state,
        CASE WHEN messages.agent = shapes.orchestrator THEN
                 CASE WHEN starts_with(messages.content, 'Updated Ledger') THEN 'ledger'
                      WHEN contains(messages.speaker, '(->') THEN 'instruction'
                      WHEN contains(messages.speaker, 'termination') THEN 'end'
                      WHEN starts_with(messages.content, 'Next speaker') THEN 'next'
                      WHEN regexp_matches(messages.content, '^(?i)(new|updated) plan') THEN 'replan'
                      ELSE 'note' END
             WHEN lower(messages.agent) IN ('human', 'user') THEN 'human'
             ELSE 'action' END AS part
    FROM messages
    JOIN shapes ON shapes.run_id = messages.run_id
    WINDOW run AS (PARTITION BY messages.run_id ORDER BY messages.seq)
),
counted AS (
    SELECT
        turns.run_id,
        turns.span_id,
        turns.seq,
        turns.step_index,
        turns.agent,
        turns.content,
        turns.role,
        turns.shape,
        turns.nth,
        turns.has_code,
        turns.is_environment,
        turns.is_farewell,
        turns.changes_state,
        turns.part,
        turns.role_before,
        turns.content_after,
        turns.calls,
        (turns.nth - 1) / nullif(turns.turns_of_run - 1, 0) AS share_of_run,
        starts_with(turns.content_after, 'exitcode: ') AS was_run,
        regexp_matches(turns.content_after, '^exitcode: [1-9]') AS failed_when_run,
        turns.changes_state AND turns.role_after = 'tool' AND starts_with(turns.content_after, 'Error') AS was_rejected,
        turns.role = 'assistant' AND len(turns.calls) = 0 AND turns.role_before = 'tool' AS tells_results,
        NOT turns.is_environment AND NOT turns.is_farewell
            AND (turns.nth > 1 OR turns.has_code OR starts_with(turns.content_after, 'exitcode: ')) AS answers,
        sum(CASE WHEN turns.part = 'action' THEN 1 ELSE 0 END) OVER so_far AS actions_so_far,
        sum(CASE WHEN turns.part = 'action' THEN 1 ELSE 0 END) OVER (PARTITION BY turns.run_id) AS actions,
        sum(CASE WHEN turns.part = 'replan' THEN 1 ELSE 0 END) OVER so_far AS replans_so_far
    FROM turns
    WINDOW so_far AS (PARTITION BY turns.run_id ORDER BY turns.seq)
),
-- Every claim that is true of a message, with the words that make it so.
said (run_id, span_id, rule, evidence) AS (
    SELECT run_id, span_id, 'environment', 'the environment answers; nobody decides here'
    FROM counted WHERE shape <> 'ledger' AND is_environment
    UNION ALL
    SELECT run_id, span_id, 'farewell', 'only ends the conversation'
    FROM counted WHERE shape = 'group' AND is_farewell
    UNION ALL
    SELECT run_id, span_id, 'task-statement', 'states the task and was not run'
    FROM counted WHERE nth = 1 AND ((shape = 'group' AND NOT was_run) OR (shape = 'tools' AND role = 'system'))
    UNION ALL
    SELECT run_id, span_id, 'first-answer', 'the first step that answers the task; what comes later builds on it: ' || left(trim(content), 120)
    FROM counted WHERE shape = 'group' AND answers
    QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY nth) = 1
    UNION ALL
    SELECT run_id, span_id, 'first-code-run', 'the first code that was run'
    FROM counted WHERE shape = 'group' AND was_run
    QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY nth) = 1
    UNION ALL
    SELECT run_id, span_id, 'before-first-failure', 'the next step reports the first failure of its code: ' || left(trim(content_after), 160)
    FROM counted WHERE shape = 'group' AND failed_when_run
    QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY nth) = 1
    UNION ALL
    SELECT run_id, span_id, 'assumed-data', 'works with assumed or made-up data: …' || trim(regexp_extract(
        content, '(?i)[^.\n]{0,60}\b(?:assum|hypothetical|simulat|placeholder|for the sake of|example data|sample data|mock|for demonstration|let''s say|approximat)[^.\n]{0,80}'
    )) || '…'
    FROM counted
    WHERE shape = 'group' AND nth > 1 AND regexp_matches(
        content, '(?i)\b(assum|hypothetical|simulat|placeholder|for the sake of|example data|sample data|mock|for demonstration|let''s say|approximat)'
    )
    UNION ALL
    SELECT run_id, span_id, 'by-hand', 'does by hand what a tool could not do: …' || trim(regexp_extract(content, '(?i)[^.\n]{0,60}manual[^.\n]{0,80}')) || '…'
    FROM counted WHERE shape = 'group' AND nth > 1 AND regexp_matches(content, '(?i)manual')
    UNION ALL
    SELECT run_id, span_id, 'code-not-run', 'shows code that nobody ran'
    FROM counted WHERE shape = 'group' AND has_code AND NOT was_run
    UNION ALL
    SELECT run_id, span_id, 'concludes-unchecked', 'concludes without running anything: …' || trim(regexp_extract(
        content, '(?i)[^.\n]{0,40}(?:therefore|thus|in conclusion|final answer|conclu|hence)[^.\n]{0,100}'
    )) || '…'
    FROM counted
    WHERE shape = 'group' AND nth > 1 AND NOT has_code
      AND regexp_matches(content, '(?i)(therefore|thus|in conclusion|final answer|conclu|hence)')
    UNION ALL
    SELECT run_id, span_id, 'late', 'in the last quarter of the run'
    FROM counted WHERE shape = 'group' AND share_of_run >= 0.75
    UNION ALL
    SELECT run_id, span_id, 'action', 'an agent of the team acts: ' || left(trim(content), 120)
    FROM counted WHERE shape = 'ledger' AND part = 'action'
    UNION ALL
    SELECT run_id, span_id, 'second-action', 'the second action of the team: the first result was followed up here'
    FROM counted WHERE shape = 'ledger' AND part = 'action' AND actions_so_far = 2
    UNION ALL
    SELECT run_id, span_id, 'third-action', 'the third action of the team: the course is set here'
    FROM counted WHERE shape = 'ledger' AND part = 'action' AND actions_so_far = 3
    UNION ALL
    SELECT run_id, span_id, 'late-action', 'an action after the sixth'
    FROM counted WHERE shape = 'ledger' AND part = 'action' AND actions_so_far > 6
    UNION ALL
    SELECT run_id, span_id, 'last-action', 'the last action of the team: the answer rests on it'
    FROM counted WHERE shape = 'ledger' AND part = 'action' AND actions_so_far = actions
    UNION ALL
    SELECT run_id, span_id, 'typed-query', 'typed a query instead of opening a result'
    FROM counted WHERE shape = 'ledger' AND part = 'action' AND starts_with(content, 'I typed')
    UNION ALL
    SELECT run_id, span_id, 'declared-satisfied', 'the ledger declares the request satisfied: ' || left(regexp_extract(
        content, '(?s)"is_request_satisfied":\s*\{\s*"reason":\s*"([^"]*)"', 1
    ), 160)
    FROM counted
    WHERE shape = 'ledger' AND part = 'ledger'
      AND regexp_matches(content, '(?s)"is_request_satisfied":\s*\{[^{}]*"answer":\s*true')
    UNION ALL
    SELECT run_id, span_id, 'first-replan', 'the plan is given up for the first time'
    FROM counted WHERE shape = 'ledger' AND part = 'replan' AND replans_so_far = 1
    UNION ALL
    SELECT run_id, span_id, 'instruction', 'the orchestrator hands out work'
    FROM counted WHERE shape = 'ledger' AND part = 'instruction'
    UNION ALL
    SELECT run_id, span_id, 'ledger', 'the orchestrator takes stock'
    FROM counted WHERE shape = 'ledger' AND part = 'ledger'
    UNION ALL
    SELECT run_id, span_id, 'turn-taking', 'only names the next speaker'
    FROM counted WHERE shape = 'ledger' AND part = 'next'
    UNION ALL
    SELECT run_id, span_id, 'changes-state', 'calls a tool that changes something: ' || array_to_string(calls, ', ')
    FROM counted WHERE shape = 'tools' AND changes_state
    UNION ALL
    SELECT run_id, span_id, 'rejected-call', 'the tool refused the change: ' || left(trim(content_after), 160)
    FROM counted WHERE shape = 'tools' AND was_rejected
    UNION ALL
    SELECT run_id, span_id, 'first-reading', 'the first time that the agent tells what a tool returned: ' || left(trim(content), 120)
    FROM counted WHERE shape = 'tools' AND tells_results
    QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY nth) = 1
    UNION ALL
    SELECT run_id, span_id, 'changed-request', 'the person decides, or changes the request: …' || trim(regexp_extract(
        content, '(?i)[^.\n]{0,40}(?:actually|instead|go ahead|changed my mind|I[''’]d like|guess)[^.\n]{0,80}'
    )) || '…'
    FROM counted
    WHERE shape = 'tools' AND role = 'user'
      AND regexp_matches(content, '(?i)(actually|instead|go ahead|changed my mind|I[''’]d like|guess)')
    UNION ALL
    SELECT run_id, span_id, 'later-part', 'in the last two fifths of the run'
    FROM counted WHERE shape = 'tools' AND share_of_run >= 0.6
),
-- ----------------------------------------------------------------------------------------------------------- records
-- The failure that is asked about. Errors that a rule derived from text take no part: their text is judged above.
observed AS (
    SELECT
        run_id,
        event_id,
        span_id,
        seq,
        agent,
        step_index,
        signature,
        signature_partial
    FROM error_events
    WHERE run_id IN (SELECT run_id FROM chosen)
      AND basis = 'recorded'
      AND ($event IS NULL OR event_id = $event)
    QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY seq DESC) = 1
),
ends AS (
    SELECT
        chosen.run_id,
        any_value(observed.event_id) AS event_id,
        any_value(observed.agent) AS agent,
        coalesce(any_value(observed.seq), 9223372036854775807) AS seq,
        coalesce(any_value(observed.span_id), arg_max(spans.span_id, spans.seq)) AS span_id
    FROM chosen
    LEFT JOIN observed ON observed.run_id = chosen.run_id
    LEFT JOIN spans_of_run AS spans
        ON spans.run_id = observed.run_id
       AND spans.seq <= observed.seq
       AND (spans.step_index = observed.step_index OR observed.step_index IS NULL)
    GROUP BY chosen.run_id
),
recovered AS (
    SELECT
        run_id,
        error_event_id,
        min(seq) AS seq
    FROM recovery_events_of_run
    WHERE outcome = 'RECOVERED'
    GROUP BY run_id, error_event_id
),
errors AS (
    SELECT
        error_events.run_id,
        error_events.event_id,
        error_events.span_id,
        error_events.step_index,
        error_events.seq,
        error_events.agent,
        error_events.signature,
        error_events.signature_partial,
        coalesce(error_events.type, error_events.error_code, error_events.agent_error_code, 'error') AS named,
        coalesce(recovered.seq < ends.seq, false) AS recovered
    FROM error_events
    JOIN ends ON ends.run_id = error_events.run_id
    LEFT JOIN recovered
        ON recovered.run_id = error_events.run_id AND recovered.error_event_id = error_events.event_id
    WHERE error_events.basis = 'recorded' AND error_events.seq <= ends.seq
),
lost_items AS (
    SELECT
        run_id,
        step_id,
        stage_no,
        string_agg(item_id, ', ' ORDER BY item_id) AS named
    FROM context_lost_of_run
    WHERE required IS DISTINCT FROM false
    GROUP BY run_id, step_id, stage_no
),
suspected (run_id, step_key, step_index, agent, seq, rule, evidence) AS (
    -- The first error that nothing recovered, with a later one after it.
    SELECT
        errors.run_id, coalesce(errors.span_id, errors.event_id), errors.step_index, errors.agent, errors.seq, 'error-chain',
        concat_ws(' ', errors.named, 'is the first of', count(*) OVER (PARTITION BY errors.run_id),
                  'errors up to the observed one that nothing recovered; event', errors.event_id)
    FROM errors
    WHERE NOT errors.recovered
    QUALIFY row_number() OVER (PARTITION BY errors.run_id ORDER BY errors.seq) = 1
        AND count(*) OVER (PARTITION BY errors.run_id) > 1
    UNION ALL
    -- Where a failure that came back was first met.
    SELECT
        errors.run_id, coalesce(errors.span_id, errors.event_id), errors.step_index, errors.agent, errors.seq,
        'repeated-signature',
        concat_ws(' ', errors.named, 'with signature', errors.signature, 'was met',
                  count(*) OVER (PARTITION BY errors.run_id, errors.signature),
                  'times in this run, first here: the same state produced it each time')
    FROM errors
    WHERE errors.signature_partial = false
    QUALIFY row_number() OVER (PARTITION BY errors.run_id, errors.signature ORDER BY errors.seq) = 1
        AND count(*) OVER (PARTITION BY errors.run_id, errors.signature) > 1
    UNION ALL
    -- Where the context lost what the step needed.
    SELECT
        context_steps.run_id, context_steps.step_id, spans.step_index, coalesce(context_steps.agent, spans.agent),
        context_steps.seq, CASE WHEN context_steps.proven THEN 'context-stage-proven' ELSE 'context-stage' END,
        concat_ws(' ', 'the context lost', context_steps.lost, 'at', context_stages.stage,
                  '(' || context_stages.difference || '):', lost_items.named, CASE WHEN context_steps.proven THEN '(proven)' ELSE '(localised, not proven)' END)
    FROM context_steps
    JOIN ends ON ends.run_id = context_steps.run_id
    JOIN context_stages ON context_stages.stage_no = context_steps.stage_no
    LEFT JOIN lost_items
        ON lost_items.run_id = context_steps.run_id
       AND lost_items.step_id = context_steps.step_id
       AND lost_items.stage_no = context_steps.stage_no
    LEFT JOIN spans_of_run AS spans ON spans.run_id = context_steps.run_id AND spans.span_id = context_steps.step_id
    WHERE coalesce(context_steps.seq, 0) <= ends.seq
    UNION ALL
    -- Where a replay first went another way than its original.
    SELECT
        replays.run_id, coalesce(event.span_id, event.event_id), event.step_index, event.agent, event.seq, 'first-divergence',
        concat_ws(' ', 'event', json_extract_string(replays.attributes, '$.first_divergence.position'),
                  'is the first in which the replay differs from', coalesce(replays.replay_of, 'its original'))
    FROM replays
    JOIN ends ON ends.run_id = replays.run_id
    JOIN (
        SELECT
            run_id,
            event_id,
            span_id,
            step_index,
            agent,
            seq,
            row_number() OVER (PARTITION BY run_id ORDER BY seq) - 1 AS position
        FROM events
        WHERE run_id IN (SELECT run_id FROM chosen)
    ) AS event
        ON event.run_id = replays.run_id
       AND event.position = TRY_CAST(json_extract_string(replays.attributes, '$.first_divergence.position') AS BIGINT)
    UNION ALL
    -- Who handed the failing agent its task.
    SELECT
        delegations.run_id, coalesce(spans.span_id, delegations.event_id), CAST(NULL AS BIGINT), delegations.from_agent, delegations.seq, 'delegation',
        concat_ws(' ', delegations.from_agent, 'handed', coalesce('task ' || delegations.task_id, 'the task'), 'to',
                  delegations.to_agent || ', which failed', 'on it later')
    FROM delegations
    JOIN ends ON ends.run_id = delegations.run_id AND ends.agent = delegations.to_agent AND delegations.seq < ends.seq
    ASOF LEFT JOIN spans_of_run AS spans
        ON spans.run_id = delegations.run_id AND spans.agent = delegations.from_agent AND spans.seq < delegations.seq
    WHERE delegations.denied IS DISTINCT FROM true
      AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.run_id = delegations.run_id)
    QUALIFY row_number() OVER (PARTITION BY delegations.run_id ORDER BY delegations.seq DESC) = 1
    UNION ALL
    -- Who delivered to the failing agent.
    SELECT
        handoffs.run_id, coalesce(spans.span_id, handoffs.event_id), CAST(NULL AS BIGINT), handoffs.from_agent, handoffs.seq, 'data-flow',
        concat_ws(' ', handoffs.from_agent, 'delivered what', handoffs.to_agent, 'worked on, and the delivery was accepted')
    FROM handoffs
    JOIN ends ON ends.run_id = handoffs.run_id AND ends.agent = handoffs.to_agent AND handoffs.seq < ends.seq
    ASOF LEFT JOIN spans_of_run AS spans
        ON spans.run_id = handoffs.run_id AND spans.agent = handoffs.from_agent AND spans.seq < handoffs.seq
    WHERE handoffs.status = 'accepted'
    QUALIFY row_number() OVER (PARTITION BY handoffs.run_id ORDER BY handoffs.seq DESC) = 1
    UNION ALL
    -- Which step produced what the failing step consumed: an item it says it produced, or the very text of its output.
    SELECT
        maker.run_id, maker.span_id, maker.step_index, maker.agent, maker.seq, 'data-flow',
        concat_ws(' ', 'produced', coalesce(context_items.item_id, 'the text'), 'that the failing step', ends.span_id, 'consumed')
    FROM ends
    JOIN spans_of_run AS taker ON taker.run_id = ends.run_id AND taker.span_id = ends.span_id
    JOIN spans_of_run AS maker ON maker.run_id = taker.run_id AND maker.seq < taker.seq AND maker.kind IS DISTINCT FROM 'message'
    LEFT JOIN context_items_of_run AS context_items
        ON context_items.run_id = taker.run_id AND context_items.step_id = taker.span_id AND context_items.set_name = 'consumed'
       AND list_contains(json_extract_string(maker.attributes, '$.produced[*]'), context_items.item_id)
    WHERE context_items.item_id IS NOT NULL
       OR (length(coalesce(json_extract_string(maker.attributes, '$.output'), json_extract_string(maker.attributes, '$."output.value"'))) > 3
           AND coalesce(json_extract_string(maker.attributes, '$.output'), json_extract_string(maker.attributes, '$."output.value"'))
             = coalesce(json_extract_string(taker.attributes, '$.input'), json_extract_string(taker.attributes, '$."input.value"')))
    UNION ALL
    -- Where it was seen: the last resort, and rarely the origin.
    SELECT
        errors.run_id, coalesce(errors.span_id, errors.event_id), errors.step_index, errors.agent, errors.seq, 'observed-there',
        concat_ws(' ', errors.named, 'was observed here; nothing says that it began here')
    FROM errors
    JOIN ends ON ends.run_id = errors.run_id AND ends.event_id = errors.event_id
),
fired AS (
    SELECT
        counted.run_id,
        counted.span_id AS step_key,
        counted.step_index,
        counted.agent,
        counted.seq,
        said.rule,
        said.evidence,
        weights.weight
    FROM counted
    LEFT JOIN said ON said.run_id = counted.run_id AND said.span_id = counted.span_id
    LEFT JOIN weights ON weights.shape = counted.shape AND weights.rule = said.rule
    UNION ALL
    SELECT
        suspected.run_id,
        suspected.step_key,
        coalesce(suspected.step_index, spans.step_index) AS step_index,
        coalesce(suspected.agent, spans.agent) AS agent,
        suspected.seq,
        suspected.rule,
        suspected.evidence,
        weights.weight
    FROM suspected
    JOIN weights ON weights.shape = 'records' AND weights.rule = suspected.rule
    LEFT JOIN spans_of_run AS spans ON spans.run_id = suspected.run_id AND spans.span_id = suspected.step_key
),
-- A rule counts once a step, however many records bear it out.
claims AS (
    SELECT
        run_id,
        step_key,
        rule,
        min(step_index) AS step_index,
        arg_min(agent, seq) AS agent,
        min(seq) AS seq,
        max(weight) AS weight,
        string_agg(DISTINCT evidence, '; ' ORDER BY evidence) AS evidence
    FROM fired
    GROUP BY run_id, step_key, rule
),
steps AS (
    SELECT
        run_id,
        step_key,
        min(step_index) AS step_index,
        arg_min(agent, seq) AS agent,
        min(seq) AS seq,
        arg_max(rule, weight) AS rule,
        coalesce(max(weight), 0) AS strongest,
        coalesce(sum(weight), 0) AS weight,
        coalesce(
            list(rule || ' ' || printf('%+.2f', weight) ORDER BY weight DESC, rule) FILTER (weight IS NOT NULL),
            CAST([] AS VARCHAR[])
        ) AS rules,
        string_agg(evidence, '; ' ORDER BY weight DESC, rule) FILTER (weight > 0) AS evidence
    FROM claims
    GROUP BY run_id, step_key
),
scored AS (
    SELECT
        run_id,
        step_key,
        (run_id, step_key) IN (SELECT (run_id, span_id) FROM spans_of_run) AS is_step,
        step_index,
        agent,
        seq,
        rule,
        strongest,
        rules,
        evidence,
        exp(weight) / sum(exp(weight)) OVER (PARTITION BY run_id) AS score,
        row_number() OVER (PARTITION BY run_id ORDER BY weight DESC, seq, step_key) AS rank
    FROM steps
)
SELECT
    run_id,
    rank,
    coalesce(CAST(step_index AS VARCHAR), CASE WHEN is_step THEN step_key ELSE 'seq ' || seq END) AS step,
    agent,
    rule,
    evidence,
    score,
    rules,
    step_key AS event_id,
    seq,
    'derived' AS basis
FROM scored
WHERE $all_steps OR strongest > 0
ORDER BY run_id, rank
LIMIT $limit
