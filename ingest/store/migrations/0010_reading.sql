-- What pages read again and again follows from the records of a run alone; so it is derived when they are loaded, and no
-- page joins and judges every attempt of the store anew.
DROP VIEW newest_wall_time;
DROP VIEW recovery_attempts;
DROP VIEW runs_in_no_rate;

-- The newest time that a wall clock gave in the run; NULL where it has no such clock.
ALTER TABLE runs ADD COLUMN last_wall_at TIMESTAMPTZ;
-- What the rules found in it; NULL where it was loaded before there were rules.
ALTER TABLE runs ADD COLUMN findings BIGINT;

-- Runs that are in no recovery rate: a veto is a decision, and a run that somebody interrupted did not get to recover.
CREATE TABLE runs_in_no_rate (
    run_id VARCHAR,
    reason VARCHAR              -- vetoed_run, interrupted_run
);

-- What every recovery rate counts, defined once. `happened_at` is the attempt's own wall-clock time, else its run's start.
-- `full_signature` is NULL where the failure's signature is partial or missing: only full ones are the same failure twice.
-- `counted_as` says what the attempt is to a rate: finished, unfinished, other_outcome (a text outside the list); the rest
-- is in no rate and counted beside it. What stands under "of its run" holds where all counted attempts of the run are
-- looked at; a window that cuts a run in two finds it anew (`run_from`, `run_to`).
CREATE TABLE recovery_attempts (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    workload VARCHAR,
    source VARCHAR,
    basis VARCHAR,
    chain VARCHAR,
    trigger VARCHAR,
    confidence DOUBLE,
    auto_executed BOOLEAN,
    outcome VARCHAR,
    error_event_id VARCHAR,
    full_signature VARCHAR,
    happened_at TIMESTAMPTZ,
    counted_as VARCHAR,
    is_counted BOOLEAN,
    selects VARCHAR,            -- the chain that the trigger selects, or what stands before chains; NULL: not evaluable
    failed_step BIGINT,         -- the first step recorded as FAILED
    failed_agent VARCHAR,
    failed_action VARCHAR,
    steps BIGINT[],             -- the steps that are recorded
    -- Of its run, among the counted attempts:
    is_last BOOLEAN,            -- the last of its chain and full signature, or one without a full signature
    next_chain VARCHAR,         -- the chain and outcome of the attempt after it
    next_outcome VARCHAR,
    nth_of_failure BIGINT,      -- among those of its chain and failure (full signature, else error event)
    run_from TIMESTAMPTZ,       -- the earliest and the latest of them
    run_to TIMESTAMPTZ,
    is_mixed BOOLEAN            -- some are recorded and some derived, or some have a time and some have none
);

-- What the records say of where a failure began: a recorded diagnosis before a derived one, with the phases that its texts
-- name, their distance in the one lifecycle that has both, and the distance of both places on the run's timeline.
CREATE TABLE origin_facts (
    run_id VARCHAR,
    event_id VARCHAR,
    observed_at VARCHAR,
    originated_at VARCHAR,
    observed_phase VARCHAR,
    originated_phase VARCHAR,
    distance BIGINT,            -- in phases; negative: an origin after its observation
    lifecycle VARCHAR,
    step_distance BIGINT,
    delay_s DOUBLE,
    origin_agent VARCHAR,
    trigger VARCHAR,
    root_cause VARCHAR,
    trigger_is_cause BOOLEAN,
    context_failure_class VARCHAR,
    fix_at VARCHAR,
    prevention_layer VARCHAR,
    prevention VARCHAR,
    prevention_null BOOLEAN,
    durable BOOLEAN,
    status VARCHAR,
    basis VARCHAR,
    rule VARCHAR,
    author VARCHAR,
    recorded_at TIMESTAMPTZ,
    error_seq BIGINT,
    error_type VARCHAR,
    agent VARCHAR
);

-- Lines of the misattribution table that a record of the run matches.
CREATE TABLE hints (
    run_id VARCHAR,
    event_id VARCHAR,
    symptom VARCHAR,
    record_kind VARCHAR,
    record_id VARCHAR,
    evidence VARCHAR            -- NULL: other runs decide
);

-- Every failure that was tried again, with its place among the retries of its step and run, and the retry that caused it.
CREATE TABLE retry_facts (
    run_id VARCHAR,
    event_id VARCHAR,
    of_event VARCHAR,
    seq BIGINT,
    attempt BIGINT,             -- the first try is the first
    step VARCHAR,
    is_bare BOOLEAN,
    is_transient BOOLEAN,
    uses_budget BOOLEAN,
    used_in_step BIGINT,
    used_in_run BIGINT,
    tool_error_class VARCHAR,
    agent_error_code VARCHAR,
    signature VARCHAR,
    agent VARCHAR,
    location VARCHAR,
    place VARCHAR,              -- the tool, else the location
    error_code VARCHAR,
    checked_state VARCHAR,
    action VARCHAR,
    caused_by VARCHAR
);

-- A full signature that was seen a second time in its run.
CREATE TABLE breakers (
    run_id VARCHAR,
    signature VARCHAR,
    error_code VARCHAR,
    agent VARCHAR,
    opened_by VARCHAR,
    opened_at TIMESTAMPTZ,
    occurrences BIGINT,
    is_closed BOOLEAN           -- by a recovery of the same failure after it opened
);

-- Effects that may exist, with the check that followed.
CREATE TABLE effects (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    resource VARCHAR,
    error_code VARCHAR,
    agent VARCHAR,
    checked_state VARCHAR,
    checked_by VARCHAR,
    kind VARCHAR,               -- capture failure, unknown outcome
    collapsed BOOLEAN,
    details VARCHAR,
    occurred_at TIMESTAMPTZ
);

-- Sums over many runs, kept current as runs come, change and go, so that a page need not count them all. `day` is the UTC
-- day on which the run started; NULL where it has no time.
CREATE TABLE error_days (
    day DATE,
    workload VARCHAR,
    source VARCHAR,
    axis VARCHAR,               -- code, severity level, tool error class, context failure class, agent error code, failure
                                -- class, contract class; or what is missing: no class on any axis, …
    value VARCHAR,              -- on that axis; of what is missing, the type of the errors
    detail VARCHAR,             -- of a code, the column that names it; of a value outside its list, that value
    errors BIGINT,
    runs BIGINT,
    marked BIGINT,              -- of a code, transient; of a failure class, recoverable; of a contract class, recorded
    differing BIGINT,           -- of a failure class, with another category than its profile's; of a contract class, derived
    last_at TIMESTAMPTZ         -- the newest start of these runs
);
CREATE TABLE rule_days (
    day DATE,
    has_clock BOOLEAN,
    workload VARCHAR,
    source VARCHAR,
    rule VARCHAR,               -- NULL: runs with a finding of that severity, or, without one, all that were judged
    severity VARCHAR,
    evaluated BIGINT,
    not_evaluable BIGINT,
    findings BIGINT,
    runs BIGINT
);
CREATE TABLE context_held (
    workload VARCHAR,
    source VARCHAR,
    stage_no BIGINT,
    item_id VARCHAR,
    steps BIGINT                -- that had the item in the difference's first set, and could tell
);

-- Every signature told whole, from all failures of the store that have it.
CREATE TABLE signature_totals (
    signature VARCHAR,
    partial BOOLEAN,
    error_code VARCHAR,
    type VARCHAR,
    location VARCHAR,
    phase VARCHAR,
    occurrences BIGINT,
    collapsed BIGINT,
    runs BIGINT,
    workloads VARCHAR[],
    first_seen TIMESTAMPTZ,
    last_seen TIMESTAMPTZ,
    example_run VARCHAR,
    example_event VARCHAR
);
-- When it came back, and after how long a quiet; of two returns only the later one, unless the earlier quiet was longer.
CREATE TABLE signature_returns (
    signature VARCHAR,
    quiet_us BIGINT,
    returned_at TIMESTAMPTZ
);

-- The end of every window that nobody ends: the newest time that a wall clock gave, so that the same store gives the
-- same answer on any day. One row; NULL where nothing has a time.
CREATE VIEW newest_wall_time AS
SELECT max(last_wall_at) AS newest
FROM runs;

-- Stores from before have it derived here, as a load derives it.
INSERT INTO runs_in_no_rate BY NAME
SELECT run_id, CASE WHEN status = 'vetoed' THEN 'vetoed_run' ELSE 'interrupted_run' END AS reason
FROM runs
WHERE status IN ('vetoed', 'interrupted')
   OR stop_reason IN ('user_interruption', 'user_abort')
   OR (status NOT IN ('succeeded', 'escalated')
       AND run_id IN (SELECT run_id FROM error_events WHERE failure_class = 'user_interruption'));

UPDATE runs SET last_wall_at = times.newest
FROM (
    SELECT run_id, max(happened_at) AS newest
    FROM (
        SELECT run_id, greatest(started_at, ended_at) AS happened_at FROM runs
        -- arm: error_events
        UNION ALL
        SELECT run_id, occurred_at FROM error_events
        -- end
        -- arm: recovery_events
        UNION ALL
        SELECT run_id, occurred_at FROM recovery_events
        -- end
    ) AS happenings
    GROUP BY run_id
) AS times
WHERE times.run_id = runs.run_id AND runs.clock = 'wall';
UPDATE runs SET findings = coalesce(found.n, 0)
FROM rule_verdicts LEFT JOIN (SELECT run_id, count(*) AS n FROM findings GROUP BY run_id) AS found USING (run_id)
WHERE rule_verdicts.run_id = runs.run_id;

INSERT INTO recovery_attempts BY NAME
WITH triggers AS (
    SELECT DISTINCT trigger, lower(trigger) AS said FROM recovery_events WHERE trigger IS NOT NULL
),
shares AS (
    SELECT
        trigger,
        said,
        CASE
            WHEN contains(said, 'fail')
             AND NOT regexp_matches(said, '[<>≤≥~]|\d\s*%?\s*(-|–|to|\.\.)\s*\d')
             AND length(said) - length(replace(said, '%', '')) = 1
            THEN TRY_CAST(regexp_extract(said, '(\d+(?:\.\d+)?)\s*%', 1) AS DOUBLE)
        END AS failure_share
    FROM triggers
),
selected AS (
    SELECT
        trigger,
        CASE
            WHEN regexp_matches(said, 'chain[ _-]*a[ _-]+(has[ _-]+)?(fail|escalat)') THEN 'B'
            WHEN regexp_matches(said, 'breaking') THEN 'C'
            WHEN regexp_matches(said, 'fail.*[>≥]\s*80\s*%') THEN 'B'
            WHEN failure_share > 100 THEN NULL
            WHEN failure_share > 80 THEN 'B'
            WHEN failure_share >= 50 THEN 'A'
            WHEN failure_share >= 20 THEN 'L2 inject'
            WHEN failure_share >= 0 THEN 'L1 retry'
        END AS selects
    FROM shares
),
gone_through AS (
    SELECT
        run_id,
        event_id,
        list(step ORDER BY step) AS steps,
        min(step) FILTER (result = 'FAILED') AS failed_step,
        arg_min(agent, step) FILTER (result = 'FAILED') AS failed_agent,
        arg_min(action, step) FILTER (result = 'FAILED') AS failed_action
    FROM recovery_steps
    GROUP BY run_id, event_id
),
attempts AS (
    SELECT
        recovery_events.run_id,
        recovery_events.event_id,
        recovery_events.seq,
        coalesce(runs.workload, 'default') AS workload,
        runs.source,
        recovery_events.basis,
        recovery_events.chain,
        recovery_events.trigger,
        recovery_events.confidence,
        recovery_events.auto_executed,
        recovery_events.outcome,
        recovery_events.error_event_id,
        CASE WHEN recovery_events.signature_partial = false THEN recovery_events.signature END AS full_signature,
        CASE runs.clock
            WHEN 'wall' THEN coalesce(recovery_events.occurred_at, runs.started_at)
            WHEN 'synthetic' THEN runs.started_at
        END AS happened_at,
        CASE
            WHEN runs_in_no_rate.reason IS NOT NULL THEN runs_in_no_rate.reason
            WHEN error_events.level = 'L0' THEN 'l0_capture'
            WHEN error_events.tool_error_class = 'unknown_outcome' THEN 'unknown_outcome'
            WHEN recovery_events.outcome IS NULL THEN 'unfinished'
            WHEN recovery_events.outcome IN ('RECOVERED', 'ESCALATED', 'ABORTED') THEN 'finished'
            ELSE 'other_outcome'
        END AS counted_as,
        counted_as IN ('finished', 'unfinished', 'other_outcome') AS is_counted,
        selected.selects,
        gone_through.failed_step,
        gone_through.failed_agent,
        gone_through.failed_action,
        gone_through.steps,
        coalesce(full_signature, recovery_events.error_event_id) AS failure
    FROM recovery_events
    LEFT JOIN runs ON runs.run_id = recovery_events.run_id
    LEFT JOIN runs_in_no_rate ON runs_in_no_rate.run_id = recovery_events.run_id
    LEFT JOIN error_events
        ON error_events.run_id = recovery_events.run_id AND error_events.event_id = recovery_events.error_event_id
    LEFT JOIN selected ON selected.trigger = recovery_events.trigger
    LEFT JOIN gone_through
        ON gone_through.run_id = recovery_events.run_id AND gone_through.event_id = recovery_events.event_id
)
SELECT
    attempts.* EXCLUDE (failure),
    full_signature IS NULL OR row_number() OVER (
        PARTITION BY run_id, is_counted, chain, full_signature ORDER BY seq DESC) = 1 AS is_last,
    lead(chain) OVER by_seq AS next_chain,
    lead(outcome) OVER by_seq AS next_outcome,
    CASE WHEN failure IS NOT NULL
         THEN row_number() OVER (PARTITION BY run_id, is_counted, chain, failure ORDER BY seq) END AS nth_of_failure,
    min(happened_at) OVER of_run AS run_from,
    max(happened_at) OVER of_run AS run_to,
    min(basis) OVER of_run <> max(basis) OVER of_run
        OR count(happened_at) OVER of_run NOT IN (0, count(*) OVER of_run) AS is_mixed
FROM attempts
WINDOW by_seq AS (PARTITION BY run_id, is_counted ORDER BY seq), of_run AS (PARTITION BY run_id, is_counted);

INSERT INTO origin_facts BY NAME
WITH ranked AS (
    SELECT
        run_id,
        coalesce(event_id, diagnosis_id) AS event_id,
        observed_at,
        originated_at,
        trigger,
        root_cause,
        context_failure_class,
        fix_at,
        prevention_layer,
        prevention,
        coalesce(list_contains(flags, 'null_prevention'), false) AS prevention_null,
        durable,
        status,
        basis,
        rule,
        author,
        recorded_at,
        row_number() OVER (
            PARTITION BY run_id, coalesce(event_id, diagnosis_id)
            ORDER BY CASE basis WHEN 'reviewed' THEN 3 WHEN 'recorded' THEN 2 ELSE 1 END, seq, diagnosis_id
        ) AS place
    FROM diagnoses
    -- What was derived does not fill the gaps of what was recorded: it would pass for recorded.
    QUALIFY rank() OVER (
        PARTITION BY run_id, coalesce(event_id, diagnosis_id)
        ORDER BY CASE basis WHEN 'reviewed' THEN 3 WHEN 'recorded' THEN 2 ELSE 1 END DESC
    ) = 1
),
said AS (
    SELECT
        run_id,
        event_id,
        arg_max(observed_at, place) AS observed_at,
        arg_max(originated_at, place) AS originated_at,
        arg_max(trigger, place) AS trigger,
        arg_max(root_cause, place) AS root_cause,
        arg_max(context_failure_class, place) AS context_failure_class,
        arg_max(fix_at, place) AS fix_at,
        arg_max(prevention_layer, place) AS prevention_layer,
        arg_max(prevention, place) AS prevention,
        arg_max(CASE WHEN prevention IS NOT NULL THEN prevention_null END, place) AS prevention_null,
        arg_max(durable, place) AS durable,
        arg_max(status, place) AS status,
        arg_max(basis, place) AS basis,
        arg_max(rule, place) AS rule,
        arg_max(author, place) AS author,
        arg_max(recorded_at, place) AS recorded_at
    FROM ranked
    GROUP BY run_id, event_id
),
named AS (
    SELECT
        said.run_id,
        said.event_id,
        said.observed_at,
        said.originated_at,
        said.trigger,
        said.root_cause,
        said.context_failure_class,
        said.fix_at,
        said.prevention_layer,
        said.prevention,
        said.prevention_null,
        said.durable,
        said.status,
        said.basis,
        said.rule,
        said.author,
        said.recorded_at,
        runs.clock,
        CASE runs.source WHEN 'bijux-canon-agent' THEN 'agent' ELSE 'nexus' END AS home,
        error_events.seq AS error_seq,
        error_events.agent,
        error_events.type AS error_type,
        error_events.occurred_at AS error_at,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            coalesce(said.observed_at, error_events.phase), '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b[\s\S]*', '', 'g'), ' ', '_'), '-', '_')) AS observed_name,
        upper(replace(replace(regexp_replace(trim(regexp_extract(
            said.originated_at, '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1
        )), '(?i)\s+(step|node)\b[\s\S]*', '', 'g'), ' ', '_'), '-', '_')) AS originated_name,
        TRY_CAST(regexp_extract(said.observed_at, '(?i)\bstep\s*#?(\d{1,9})', 1) AS BIGINT) AS observed_step,
        TRY_CAST(regexp_extract(said.originated_at, '(?i)\bstep\s*#?(\d{1,9})', 1) AS BIGINT) AS originated_step,
        lower(trim(regexp_extract(said.originated_at, '/\s*(.+)$', 1))) AS originated_place
    FROM said
    JOIN runs ON runs.run_id = said.run_id
    LEFT JOIN error_events ON error_events.run_id = said.run_id AND error_events.event_id = said.event_id
),
lifecycles AS (
    SELECT DISTINCT lifecycle FROM phase_order
),
-- The lifecycle that has both phases, the run's own first; where none has, each phase by itself.
placed AS (
    SELECT
        named.run_id,
        named.event_id,
        arg_min(observed.position - originated.position, CAST(lifecycles.lifecycle <> named.home AS INTEGER)) AS distance,
        arg_min(
            CASE WHEN observed.phase IS NOT NULL AND originated.phase IS NOT NULL THEN lifecycles.lifecycle END,
            CAST(lifecycles.lifecycle <> named.home AS INTEGER)
        ) AS lifecycle,
        arg_min(
            observed.phase, 2 * CAST(originated.phase IS NULL AS INTEGER) + CAST(lifecycles.lifecycle <> named.home AS INTEGER)
        ) AS observed_phase,
        arg_min(
            originated.phase, 2 * CAST(observed.phase IS NULL AS INTEGER) + CAST(lifecycles.lifecycle <> named.home AS INTEGER)
        ) AS originated_phase
    FROM named
    CROSS JOIN lifecycles
    LEFT JOIN phase_order AS observed
        ON observed.lifecycle = lifecycles.lifecycle AND observed.alias = named.observed_name
    LEFT JOIN phase_order AS originated
        ON originated.lifecycle = lifecycles.lifecycle AND originated.alias = named.originated_name
    GROUP BY named.run_id, named.event_id
),
on_timeline AS (
    SELECT
        run_id,
        seq,
        step_index,
        lower(span_id) AS step_id,
        lower(name) AS step_name,
        phase,
        agent,
        started_at AS began_at
    FROM spans
    WHERE run_id IN (SELECT run_id FROM named)
    UNION ALL
    SELECT
        run_id,
        seq,
        step_index,
        lower(event_id) AS step_id,
        lower(name) AS step_name,
        phase,
        agent,
        occurred_at AS began_at
    FROM events
    WHERE run_id IN (SELECT run_id FROM named) AND kind IN ('message', 'step_complete')
),
steps AS (
    SELECT
        on_timeline.run_id,
        on_timeline.seq,
        on_timeline.step_index,
        on_timeline.step_id,
        on_timeline.step_name,
        on_timeline.phase,
        on_timeline.agent,
        on_timeline.began_at,
        row_number() OVER (PARTITION BY on_timeline.run_id ORDER BY on_timeline.seq) AS nth
    FROM on_timeline
),
-- The step that a text names: by its number, else by its id or name, else the first step of its phase.
origin_steps AS (
    SELECT
        named.run_id,
        named.event_id,
        min(steps.nth) AS nth,
        arg_min(steps.seq, steps.nth) AS seq,
        arg_min(steps.agent, steps.nth) AS agent,
        arg_min(steps.began_at, steps.nth) AS began_at
    FROM named
    JOIN steps ON steps.run_id = named.run_id AND (
        steps.step_index = named.originated_step
        OR (named.originated_step IS NULL AND steps.step_id = named.originated_place)
        OR (named.originated_step IS NULL AND steps.step_name = named.originated_place)
        OR (named.originated_step IS NULL AND steps.step_id = lower(trim(named.originated_at)))
        OR (named.originated_step IS NULL AND steps.phase IS NOT NULL
            AND upper(replace(replace(steps.phase, ' ', '_'), '-', '_')) = named.originated_name)
    )
    GROUP BY named.run_id, named.event_id
),
observed_steps AS (
    SELECT
        named.run_id,
        named.event_id,
        max(steps.nth) FILTER (steps.seq <= named.error_seq) AS nth_before_error,
        min(steps.nth) FILTER (steps.step_index = named.observed_step) AS nth_named,
        arg_min(steps.began_at, steps.nth) FILTER (steps.step_index = named.observed_step) AS began_at
    FROM named
    JOIN steps ON steps.run_id = named.run_id
    GROUP BY named.run_id, named.event_id
),
measured AS (
    SELECT
        named.run_id,
        named.event_id,
        CASE WHEN named.observed_step IS NOT NULL AND named.originated_step IS NOT NULL
             THEN named.observed_step - named.originated_step
             ELSE coalesce(observed_steps.nth_named, observed_steps.nth_before_error) - origin_steps.nth END AS step_distance,
        CASE WHEN named.clock = 'wall'
             THEN date_diff('millisecond', origin_steps.began_at, coalesce(named.error_at, observed_steps.began_at)) / 1000.0
             END AS delay_s,
        origin_steps.agent AS origin_agent
    FROM named
    LEFT JOIN origin_steps ON origin_steps.run_id = named.run_id AND origin_steps.event_id IS NOT DISTINCT FROM named.event_id
    LEFT JOIN observed_steps
        ON observed_steps.run_id = named.run_id AND observed_steps.event_id IS NOT DISTINCT FROM named.event_id
)
SELECT
    named.run_id,
    named.event_id,
    named.observed_at,
    named.originated_at,
    placed.observed_phase,
    placed.originated_phase,
    placed.distance,
    placed.lifecycle,
    measured.step_distance,
    measured.delay_s,
    measured.origin_agent,
    named.trigger,
    named.root_cause,
    lower(regexp_replace(trim(named.trigger), '\s+', ' ', 'g'))
        = lower(regexp_replace(trim(named.root_cause), '\s+', ' ', 'g')) AS trigger_is_cause,
    named.context_failure_class,
    named.fix_at,
    named.prevention_layer,
    named.prevention,
    named.prevention_null,
    named.durable,
    named.status,
    named.basis,
    named.rule,
    named.author,
    named.recorded_at,
    named.error_seq,
    named.error_type,
    named.agent
FROM named
LEFT JOIN placed ON placed.run_id = named.run_id AND placed.event_id IS NOT DISTINCT FROM named.event_id
LEFT JOIN measured ON measured.run_id = named.run_id AND measured.event_id IS NOT DISTINCT FROM named.event_id;

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
               PARTITION BY errors.run_id, errors.event_id ORDER BY context_steps.seq DESC, context_lost.item_id) AS place
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

INSERT INTO retry_facts BY NAME
WITH counted AS (
    SELECT
        retries.run_id,
        retries.event_id,
        retries.of_event,
        retries.seq,
        retries.step,
        retries.is_bare,
        retries.is_transient,
        retries.tool_error_class,
        retries.agent_error_code,
        retries.signature,
        error_events.agent,
        error_events.location,
        error_events.span_id,
        error_events.error_code,
        error_events.checked_state,
        error_events.action,
        coalesce(json_extract_string(error_events.attributes, '$.tool'), error_events.location) AS place,
        coalesce(NOT retries.is_bare OR retries.is_transient, false) AS uses_budget,
        count(*) FILTER (coalesce(NOT retries.is_bare OR retries.is_transient, false))
            OVER (PARTITION BY retries.run_id, retries.step ORDER BY retries.seq, retries.of_event) AS used_in_step,
        count(*) FILTER (coalesce(NOT retries.is_bare OR retries.is_transient, false))
            OVER (PARTITION BY retries.run_id ORDER BY retries.seq, retries.of_event) AS used_in_run,
        row_number() OVER (PARTITION BY retries.run_id, retries.step ORDER BY retries.seq, retries.of_event) + 1 AS attempt
    FROM retries
    JOIN error_events ON error_events.run_id = retries.run_id AND error_events.event_id = retries.of_event
),
causes AS (
    SELECT
        counted.run_id,
        counted.of_event,
        max(earlier.event_id) FILTER (earlier.event_id = counted.of_event AND earlier.of_event <> counted.of_event) AS by_event,
        max(above.event_id) AS by_span
    FROM counted
    LEFT JOIN counted AS earlier ON earlier.run_id = counted.run_id AND earlier.event_id = counted.of_event
    LEFT JOIN spans ON spans.run_id = counted.run_id AND spans.span_id = counted.span_id
    LEFT JOIN counted AS above
        ON above.run_id = counted.run_id AND above.span_id = spans.parent_span_id AND above.of_event <> counted.of_event
    GROUP BY counted.run_id, counted.of_event
)
SELECT counted.* EXCLUDE (span_id), coalesce(causes.by_event, causes.by_span) AS caused_by
FROM counted
LEFT JOIN causes ON causes.run_id = counted.run_id AND causes.of_event = counted.of_event;

INSERT INTO breakers BY NAME
WITH seen AS (
    SELECT
        run_id,
        signature,
        event_id,
        error_code,
        agent,
        occurred_at,
        seq,
        row_number() OVER (PARTITION BY run_id, signature ORDER BY seq) AS nth
    FROM error_events
    WHERE signature IS NOT NULL AND signature_partial = false
),
opened AS (
    SELECT
        run_id,
        signature,
        min(error_code) AS error_code,
        min(agent) AS agent,
        max(event_id) FILTER (nth = 2) AS opened_by,
        max(seq) FILTER (nth = 2) AS opened_seq,
        max(occurred_at) FILTER (nth = 2) AS opened_at,
        count(*) AS occurrences
    FROM seen
    GROUP BY run_id, signature
    HAVING count(*) >= 2
)
SELECT
    opened.run_id,
    opened.signature,
    opened.error_code,
    opened.agent,
    opened.opened_by,
    opened.opened_at,
    opened.occurrences,
    EXISTS (
        SELECT 1 FROM recovery_events
        WHERE recovery_events.run_id = opened.run_id AND recovery_events.signature = opened.signature
          AND recovery_events.seq > opened.opened_seq AND recovery_events.outcome = 'RECOVERED'
    ) AS is_closed
FROM opened;

INSERT INTO effects BY NAME
WITH doubtful AS (
    SELECT run_id, event_id, seq, resource, coalesce(error_code, type) AS error_code, agent, checked_state, checked_by,
           CASE WHEN level = 'L0' THEN 'capture failure' ELSE 'unknown outcome' END AS kind, details, occurred_at
    FROM error_events
    WHERE tool_error_class = 'unknown_outcome' OR level = 'L0'
),
checks AS (
    SELECT run_id, resource, seq, checked_state, checked_by FROM error_events WHERE checked_state IS NOT NULL
),
looked_at AS (
    SELECT doubtful.run_id, doubtful.event_id, arg_min(checks.checked_state, checks.seq) AS checked_state,
           arg_min(checks.checked_by, checks.seq) AS checked_by
    FROM doubtful
    JOIN checks ON checks.run_id = doubtful.run_id AND checks.resource = doubtful.resource AND checks.seq > doubtful.seq
    GROUP BY doubtful.run_id, doubtful.event_id
)
SELECT doubtful.* EXCLUDE (checked_state, checked_by),
       coalesce(doubtful.checked_state, looked_at.checked_state) AS checked_state,
       coalesce(doubtful.checked_by, looked_at.checked_by) AS checked_by,
       EXISTS (
           SELECT 1 FROM findings
           WHERE findings.run_id = doubtful.run_id AND findings.event_id = doubtful.event_id
             AND findings.rule IN ('unknown-outcome-collapsed', 'capture-escalated')
       ) AS collapsed
FROM doubtful
LEFT JOIN looked_at ON looked_at.run_id = doubtful.run_id AND looked_at.event_id = doubtful.event_id;

INSERT INTO context_held BY NAME
WITH held AS (
    SELECT DISTINCT context_items.run_id, context_items.step_id, context_items.set_name, context_items.item_id
    FROM context_items
    WHERE context_items.superseded IS NULL AND context_items.run_id IN (SELECT run_id FROM runs)
)
SELECT coalesce(runs.workload, 'default') AS workload, runs.source, context_stages.stage_no, held.item_id, count(*) AS steps
FROM held
JOIN context_stages ON context_stages.minuend = held.set_name
JOIN context_steps
    ON context_steps.run_id = held.run_id AND context_steps.step_id = held.step_id
   AND NOT list_contains(context_steps.not_evaluable, context_stages.stage_no)
JOIN runs ON runs.run_id = held.run_id
GROUP BY coalesce(runs.workload, 'default'), runs.source, context_stages.stage_no, held.item_id;

INSERT INTO error_days BY NAME
WITH errors AS (
    SELECT
        CAST(runs.started_at AS DATE) AS day,
        coalesce(runs.workload, 'default') AS workload,
        runs.source,
        runs.started_at,
        error_events.run_id,
        error_events.error_code,
        error_events.agent_error_code,
        error_events.type,
        error_events.level,
        error_events.tool_error_class,
        error_events.context_failure_class,
        error_events.failure_class,
        error_events.contract_class,
        error_events.contract_class_basis,
        error_events.transient,
        error_events.signature,
        error_events.recoverable,
        error_events.category IS NOT NULL
            AND replace(error_events.category, '_failure', '') <> failure_profiles.category AS differs,
        coalesce(list_contains(error_events.flags, 'unknown_value'), false) AS outside
    FROM error_events
    JOIN runs ON runs.run_id = error_events.run_id
    LEFT JOIN failure_profiles ON failure_profiles.failure_class = error_events.failure_class
    WHERE error_events.run_id IN (SELECT run_id FROM runs)
),
placed AS (
    SELECT day, workload, source, started_at, run_id, 'code' AS axis,
           coalesce(error_code, agent_error_code, type, 'not recorded') AS value,
           CASE WHEN error_code IS NOT NULL THEN 'error code' WHEN agent_error_code IS NOT NULL THEN 'agent error code'
                WHEN type IS NOT NULL THEN 'type' ELSE 'nothing' END AS detail,
           coalesce(transient, false) AS is_marked, false AS differs
    FROM errors
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'severity level', level, NULL, false, false
    FROM errors WHERE level IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'tool error class', tool_error_class, NULL, false, false
    FROM errors WHERE tool_error_class IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'context failure class', context_failure_class, NULL, false, false
    FROM errors WHERE context_failure_class IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'agent error code', agent_error_code, NULL, false, false
    FROM errors WHERE agent_error_code IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'failure class', failure_class, NULL,
           coalesce(recoverable, false), coalesce(differs, false)
    FROM errors WHERE failure_class IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'contract class', contract_class, NULL,
           coalesce(contract_class_basis = 'recorded', false), coalesce(contract_class_basis = 'derived', false)
    FROM errors WHERE contract_class IS NOT NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'no class on any axis',
           coalesce(type, error_code, agent_error_code), NULL, false, false
    FROM errors
    WHERE contract_class IS NULL AND failure_class IS NULL AND tool_error_class IS NULL
      AND context_failure_class IS NULL AND agent_error_code IS NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'contract class unclassified',
           coalesce(type, error_code, agent_error_code), contract_class, false, false
    FROM errors WHERE contract_class = 'unclassified'
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'no signature', NULL, NULL, false, false
    FROM errors WHERE signature IS NULL
    UNION ALL
    SELECT day, workload, source, started_at, run_id, 'a value outside its list',
           coalesce(type, error_code, agent_error_code),
           concat_ws(' · ', failure_class, contract_class, tool_error_class, context_failure_class, agent_error_code, level),
           false, false
    FROM errors WHERE outside
)
SELECT day, workload, source, axis, value, detail, count(*) AS errors, count(DISTINCT run_id) AS runs,
       count(*) FILTER (is_marked) AS marked, count(*) FILTER (differs) AS differing, max(started_at) AS last_at
FROM placed
GROUP BY day, workload, source, axis, value, detail;

INSERT INTO rule_days BY NAME
WITH judged AS (
    SELECT
        CAST(runs.started_at AS DATE) AS day,
        runs.clock <> 'none' AS has_clock,
        coalesce(runs.workload, 'default') AS workload,
        runs.source,
        runs.run_id
    FROM runs
    WHERE runs.run_id IN (SELECT run_id FROM runs)
),
verdicts AS (
    SELECT rule_verdicts.run_id, rule_verdicts.evaluated, rule_verdicts.not_evaluable
    FROM rule_verdicts
    WHERE rule_verdicts.run_id IN (SELECT run_id FROM runs)
),
found AS (
    SELECT findings.run_id, findings.rule, findings.severity
    FROM findings
    WHERE findings.run_id IN (SELECT run_id FROM runs)
),
counted AS (
    SELECT run_id, unnest(evaluated) AS rule, NULL AS severity, 1 AS evaluated, 0 AS not_evaluable, 0 AS findings, 0 AS runs
    FROM verdicts
    UNION ALL
    SELECT run_id, unnest(not_evaluable), NULL, 0, 1, 0, 0 FROM verdicts
    UNION ALL
    SELECT run_id, rule, severity, 0, 0, count(*), 1 FROM found GROUP BY run_id, rule, severity
    UNION ALL
    SELECT run_id, NULL, severity, 0, 0, 0, 1 FROM found GROUP BY run_id, severity
    UNION ALL
    SELECT run_id, NULL, NULL, 0, 0, 0, 1 FROM verdicts
)
SELECT day, has_clock, workload, source, rule, severity, sum(evaluated) AS evaluated, sum(not_evaluable) AS not_evaluable,
       sum(findings) AS findings, sum(runs) AS runs
FROM counted
JOIN judged ON judged.run_id = counted.run_id
GROUP BY day, has_clock, workload, source, rule, severity;

INSERT INTO signature_totals BY NAME
WITH signature_errors AS (
    SELECT e.signature, coalesce(e.signature_partial, false) AS partial,
           coalesce(e.error_code, e.agent_error_code, e.failure_class) AS error_code, e.type, e.location, e.phase, e.run_id,
           e.event_id, coalesce(r.workload, 'default') AS workload,
           CASE WHEN r.clock = 'wall' THEN coalesce(e.occurred_at, r.started_at) ELSE r.started_at END AS seen_at
    FROM error_events e JOIN runs r ON r.run_id = e.run_id
    WHERE e.signature IS NOT NULL
)
SELECT * EXCLUDE (example), example.run_id AS example_run, example.event_id AS example_event
FROM (
    SELECT signature, bool_or(partial) AS partial, min(error_code) AS error_code, min(type) AS type, min(location) AS location,
           min(phase) AS phase, count(*) AS occurrences,
           -- Equal full signatures of a run are one attempt; a partial one is only possibly the same failure.
           count(DISTINCT CASE WHEN partial THEN run_id || chr(31) || event_id ELSE run_id END) AS collapsed,
           count(DISTINCT run_id) AS runs, list_sort(list(DISTINCT workload)) AS workloads,
           min(seen_at) AS first_seen, max(seen_at) AS last_seen,
           max(struct_pack(
               at := coalesce(seen_at, TIMESTAMPTZ '1970-01-01 00:00:00Z'), run_id := run_id, event_id := event_id)) AS example
    FROM signature_errors
    GROUP BY signature
) AS told;

INSERT INTO signature_returns BY NAME
WITH signature_errors AS (
    SELECT e.signature, coalesce(e.signature_partial, false) AS partial,
           coalesce(e.error_code, e.agent_error_code, e.failure_class) AS error_code, e.type, e.location, e.phase, e.run_id,
           e.event_id, coalesce(r.workload, 'default') AS workload,
           CASE WHEN r.clock = 'wall' THEN coalesce(e.occurred_at, r.started_at) ELSE r.started_at END AS seen_at
    FROM error_events e JOIN runs r ON r.run_id = e.run_id
    WHERE e.signature IS NOT NULL
),
spaced AS (
    SELECT signature, seen_at, epoch_us(seen_at) - epoch_us(lag(seen_at) OVER (PARTITION BY signature ORDER BY seen_at)) AS quiet_us
    FROM (SELECT DISTINCT signature, seen_at FROM signature_errors WHERE seen_at IS NOT NULL) AS moments
),
later AS (
    SELECT signature, seen_at, quiet_us, max(quiet_us) OVER (
        PARTITION BY signature ORDER BY seen_at ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS longest_later
    FROM spaced
)
SELECT signature, quiet_us, seen_at AS returned_at
FROM later
WHERE quiet_us > coalesce(longest_later, 0);
