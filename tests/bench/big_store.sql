-- One batch of runs into the staging tables: what an adapter would have said of them, drawn from `seed` alone.
-- Given: variables seed, first_run, last_run, all_runs, long_run_spans, days. Run 0 is the long one. Ids are digests, as those of
-- traces are, so that nothing is found by the luck of its name.
CREATE OR REPLACE TEMP MACRO chance(salt, a, b) AS (hash(salt, a, b, getvariable('seed')) % 1000003) / 1000003.0;
CREATE OR REPLACE TEMP MACRO among(choices, salt, a, b) AS choices[1 + CAST(floor(len(choices) * chance(salt, a, b)) AS BIGINT)];
-- Few values are frequent and most are rare, as workloads, failures and documents are.
CREATE OR REPLACE TEMP MACRO skewed(n, salt, a, b) AS CAST(floor(n * pow(chance(salt, a, b), 3)) AS BIGINT);

CREATE OR REPLACE TEMP TABLE drawn_runs AS
SELECT
    n,
    left(md5(concat_ws('/', 'run', n, getvariable('seed'))), 24) AS digest,
    skewed(40, 'workload', n, 0) AS of_workload,
    -- Most workloads are told of by one producer.
    CASE WHEN n = 0 THEN 'faultlens'
         ELSE among(['opentelemetry', 'faultlens', 'faultlens', 'claude-code', 'run-dash', 'bijux-canon-agent'], 'source',
                    of_workload, if(chance('other producer', n, 0) < 0.1, n, 0))
    END AS source,
    CASE WHEN n = 0 THEN 'long-run' ELSE digest END AS native_id,
    source || ':' || native_id AS run_id,
    CASE WHEN n = 0 THEN getvariable('long_run_spans') ELSE 20 + CAST(floor(181 * chance('spans', n, 0)) AS BIGINT) END AS spans,
    'workload-' || lpad(CAST(of_workload AS VARCHAR), 2, '0') AS workload,
    CASE WHEN n > 0 AND chance('clock', n, 0) < 0.04 THEN 'none' WHEN n > 0 AND chance('clock', n, 0) < 0.06 THEN 'synthetic' ELSE 'wall' END AS clock,
    CASE WHEN clock <> 'none'
         THEN TIMESTAMPTZ '2026-11-30 00:00:00Z' - to_microseconds(CAST(
             86400e6 * getvariable('days') * (1 - (n + chance('start', n, 0)) / getvariable('all_runs')) AS BIGINT)) END AS started_at,
    -- The span step of a run without a clock counts from a fixed day nobody reads.
    coalesce(started_at, TIMESTAMPTZ '1970-01-01 00:00:00Z') AS base,
    source = 'opentelemetry' AS has_roots,
    CASE WHEN has_roots THEN NULL
         ELSE among(['succeeded', 'succeeded', 'succeeded', 'succeeded', 'failed', 'escalated', 'aborted', 'vetoed', 'interrupted', 'running', NULL],
                    'status', n, 0) END AS status,
    left(sha256(concat('file', n // 500, '/', getvariable('seed'))), 64) AS file_id
FROM range(getvariable('first_run'), getvariable('last_run')) AS numbers (n);

CREATE OR REPLACE TEMP TABLE drawn AS
SELECT
    r.n, r.run_id, r.file_id, r.workload, r.of_workload, r.source, s.number,
    CASE WHEN r.clock <> 'none' THEN r.base + to_microseconds(1500000 * s.number) END AS happened,
    (500 * (r.n % 500) + s.number) * 1048576 AS position, 500 * (r.n % 500) + s.number AS line,
    left(md5(concat_ws('/', r.digest, s.number)), 16) AS span_id,
    CASE WHEN s.number > 1 THEN left(md5(concat_ws('/', r.digest, greatest(1, s.number // 4))), 16) END AS parent_span_id,
    among(['PLAN', 'PREPARE', 'EXECUTE', 'EXECUTE', 'EXECUTE', 'VERIFY', 'DELIVER'], 'phase', r.n, s.number) AS phase,
    'agent-' || skewed(30, 'agent', r.n, s.number) AS agent,
    chance('fails', r.n, s.number) < 0.08 AND NOT (r.has_roots AND chance('clean', r.n, 0) < 0.6) AS fails,
    chance('is well', r.n, s.number) AS luck
FROM drawn_runs r, unnest(range(1, r.spans + 1)) AS s (number);

INSERT INTO run_records BY NAME
SELECT
    run_id, 'record' AS event_id, source, native_id, 'recorded' AS identity, workload,
    CASE WHEN chance('tenant', n, 0) < 0.5 THEN 'tenant-' || n % 9 END AS tenant, 'case ' || n AS name, status,
    CASE WHEN status = 'failed' THEN 'verification refused the result' END AS status_reason,
    CASE WHEN status = 'interrupted' THEN 'user_abort' END AS stop_reason,
    CASE WHEN status = 'failed' THEN among(['governed_failure', 'interrupted', 'preparation_refused', NULL], 'state', n, 0) END AS state_at_failure,
    CASE WHEN status = 'failed' THEN among(['structural', 'semantic', 'environmental', NULL, NULL], 'class', n, 0) END AS contract_class,
    started_at, started_at + to_microseconds(1500000 * (spans + 1)) AS ended_at, clock, file_id, 1 AS unit, 1 AS line,
    CAST(CASE WHEN has_roots THEN '{"outcome_from":"root_spans"}' END AS JSON) AS attributes
FROM drawn_runs;

INSERT INTO spans BY NAME
SELECT
    run_id, span_id, parent_span_id, among(['step', 'tool', 'tool', 'llm', 'agent'], 'kind', n, number) AS kind,
    'call ' || skewed(60, 'name', n, number) AS name, phase, agent, number AS step_index, happened AS started_at,
    CASE WHEN luck < 0.995 THEN happened + to_microseconds(CAST(1400000 * luck AS BIGINT)) END AS ended_at,
    CASE WHEN fails THEN 'error' WHEN luck < 0.97 THEN 'ok' WHEN luck < 0.995 THEN 'unset' ELSE 'open' END AS status,
    CASE WHEN kind = 'tool' THEN 'tool-' || skewed(25, 'tool', n, number) END AS tool,
    CASE WHEN kind = 'llm' THEN among(['medium-2', 'large-1', 'small-3'], 'model', n, number) END AS model,
    CASE WHEN kind = 'llm' THEN CAST(8000 * luck AS BIGINT) END AS input_tokens,
    CASE WHEN kind = 'llm' THEN CAST(900 * luck AS BIGINT) END AS output_tokens,
    CASE WHEN kind = 'llm' THEN round(0.05 * luck, 5) END AS cost_usd,
    position, file_id, line, 1 AS unit,
    CAST(concat('{"service.name":"', workload, '","input_digest":"', left(md5(concat(name, number % 50)), 12), '","attempt":', number % 3, '}') AS JSON) AS attributes
FROM drawn;

INSERT INTO events BY NAME
SELECT run_id, 'm' || number AS event_id, span_id, happened + INTERVAL 100 MILLISECONDS AS occurred_at,
       among(['assistant_message', 'tool_result', 'log', 'decision'], 'event', n, number) AS kind, phase, agent,
       number AS step_index, 'said ' || skewed(4000, 'said', n, number) AS summary, position + 1 AS position, file_id, line, 1 AS unit
FROM drawn WHERE chance('message', n, number) < 0.12;

-- A failure is one of a few hundred that happen everywhere, else one of its workload's own; its number decides what names it.
CREATE OR REPLACE TEMP TABLE drawn_failures AS
SELECT
    d.*, 'e' || number AS event_id,
    CASE WHEN chance('which', n, number) < 0.65 THEN skewed(300, 'frequent', n, number)
         ELSE 300 + 500 * of_workload + skewed(500, 'rare', n, number) END AS failure,
    failure % 6 = 5 AS is_partial
FROM drawn d WHERE fails;

INSERT INTO error_events BY NAME
SELECT
    run_id, event_id, span_id, happened + INTERVAL 1 SECOND AS occurred_at,
    CASE WHEN luck < 0.02 THEN 'L0' ELSE among(['L1', 'L2', 'L3', 'L3', 'L4', NULL, 'L5'], 'level', n, number) END AS level,
    'step_failed_' || failure % 7 AS type,
    CASE WHEN failure % 11 < 9 THEN ['E_ASSERT', 'E_TIMEOUT', 'E_LIMIT', 'E_SCHEMA', 'E_CONFLICT', 'E_AUTH', 'E_IO', 'E_NULL', 'E_RATE'][1 + failure % 9] END AS error_code,
    CASE WHEN failure % 37 = 0 THEN 'unknown_outcome'
         ELSE ['invocation', 'transport', 'execution', 'execution', 'partial_success', 'state_conflict', 'policy_denial', NULL, NULL, NULL][1 + failure % 10]
    END AS tool_error_class,
    CASE WHEN failure % 13 = 0 THEN among(['omission', 'staleness', 'overload', 'ranking_failure'], 'context class', n, number) END AS context_failure_class,
    CASE WHEN failure % 5 = 0 THEN ['TIMEOUT', 'TRANSIENT', 'VALIDATION_ERROR', 'FATAL', 'EXEC_ERROR'][1 + failure % 4] END AS agent_error_code,
    failure % 10 = 1 AS transient,
    CASE WHEN failure % 8 = 0 THEN ['execution_error', 'validation_error', 'budget_exceeded', 'resource_exhaustion', 'epistemic_uncertainty'][1 + failure % 5] END AS failure_class,
    CASE WHEN failure_class IS NOT NULL THEN among(['operational', 'operational', 'epistemic'], 'category', n, number) END AS category,
    CASE WHEN failure_class IS NOT NULL THEN luck < 0.5 END AS recoverable,
    CASE WHEN failure % 9 = 0 THEN ['structural', 'semantic', 'environmental', 'authority', 'unclassified'][1 + failure % 5] END AS contract_class,
    CASE WHEN failure % 9 = 0 THEN 'recorded' END AS contract_class_basis,
    number AS step_index, phase, agent, concat('failed while calling tool ', failure % 40, ': try again later') AS details,
    CASE WHEN luck < 0.05 THEN 'retry'
         ELSE among(['retry with a smaller batch', 'escalate', 'rolled back', 'read the file again', NULL, NULL, NULL, NULL], 'action', n, number)
    END AS action,
    among(['FAILED', 'FAILED', 'RECOVERED', 'ESCALATED', NULL], 'result', n, number) AS result,
    'src/part_' || failure % 400 || '.py' AS location,
    CASE WHEN NOT is_partial THEN lpad(CAST(failure AS VARCHAR), 6, '0') END AS state_hash,
    CASE WHEN failure % 50 < 48 THEN left(sha256(CAST(failure AS VARCHAR)), 16) END AS signature,
    CASE WHEN failure % 50 < 48 THEN is_partial END AS signature_partial,
    CASE WHEN tool_error_class = 'unknown_outcome' THEN 'order/' || number % 20 END AS resource,
    CASE WHEN tool_error_class = 'unknown_outcome' AND luck < 0.4 THEN 'landed' END AS checked_state,
    'recorded' AS basis, position + 2 AS position, CASE WHEN failure % 97 = 0 THEN ['unknown_value'] END AS flags, file_id, line, 1 AS unit
FROM drawn_failures;

INSERT INTO diagnoses BY NAME
SELECT
    run_id, event_id || '/diagnosis' AS diagnosis_id, event_id AS for_event, happened + INTERVAL 1 SECOND AS occurred_at,
    concat(among(['VERIFY', 'EXECUTE', 'DELIVER'], 'seen', n, number), ' / step ', number) AS observed_at,
    concat(among(['PLAN', 'PREPARE', 'CLASSIFY', 'EXECUTE', 'VERIFY'], 'began', n, number), ' / step ', greatest(1, number - 5)) AS originated_at,
    'test_failure' AS trigger, among(['criteria missing', 'stale index', 'test_failure', 'wrong branch'], 'cause', n, number) AS root_cause,
    among(['origin', 'origin', 'observation', NULL], 'fix', n, number) AS fix_at, among(['test', 'type', 'lint', NULL], 'layer', n, number) AS prevention_layer,
    among(['a contract test', 'be more careful', NULL], 'prevention', n, number) AS prevention,
    among(['open', 'closed'], 'open', n, number) AS status, 'recorded' AS basis, position + 3 AS position, file_id, line, 1 AS unit
FROM drawn_failures WHERE chance('diagnosed', n, number) < 0.12;

INSERT INTO recovery_events BY NAME
SELECT
    run_id, 'r' || number AS event_id, happened + INTERVAL 1200 MILLISECONDS AS occurred_at, among(['A', 'A', 'B', 'C'], 'chain', n, number) AS chain,
    concat('test_failure ', CAST(20 + 80 * chance('share', n, number) AS BIGINT), '%') AS trigger, round(0.4 + 0.6 * chance('sure', n, number), 2) AS confidence,
    chance('alone', n, number) < 0.7 AS auto_executed,
    -- Each workload asks people as often as it does.
    CASE WHEN luck < 0.02 THEN NULL
         WHEN chance('ends', n, number) < 0.03 + 0.35 * chance('asks', workload, 0) THEN 'ESCALATED'
         WHEN chance('ends', n, number) > 0.95 THEN 'ABORTED' ELSE 'RECOVERED' END AS outcome,
    3 AS steps_completed, event_id AS for_event, 'recorded' AS basis, position + 4 AS position, file_id, line, 1 AS unit
FROM drawn_failures WHERE source <> 'opentelemetry' AND chance('recovers', n, number) < 0.6;

INSERT INTO recovery_steps BY NAME
SELECT
    run_id, event_id, s.step, 'agent-' || s.step AS agent, ['analyse', 'fix', 'verify'][s.step] AS action,
    CASE WHEN outcome <> 'RECOVERED' AND s.step = 3 THEN 'FAILED' ELSE 'SUCCESS' END AS result, file_id, line, 1 AS unit
FROM recovery_events, unnest([1, 2, 3]) AS s (step);

INSERT INTO guardrail_events BY NAME
SELECT
    run_id, 'g' || number AS event_id, happened + INTERVAL 300 MILLISECONDS AS occurred_at, among(['L1', 'L2', 'L3', 'L4'], 'level of guard', n, number) AS level,
    among(['CONTINUE', 'VERIFY', 'PAUSE'], 'guard', n, number) AS action, agent, number AS step_index,
    CASE WHEN luck < 0.2 THEN 'denied' WHEN luck < 0.3 THEN 'approved' END AS decision,
    CASE WHEN luck < 0.3 THEN 'reason-' || skewed(12, 'reason', n, number) END AS reason_code,
    CASE WHEN luck < 0.4 THEN 'host-' || skewed(50, 'host', n, number) END AS destination, position + 5 AS position, file_id, line, 1 AS unit
FROM drawn WHERE chance('guarded', n, number) < 0.02;

CREATE OR REPLACE TEMP TABLE drawn_sets AS
SELECT d.run_id, d.n, d.number, d.happened, d.agent, d.phase, d.position, d.file_id, d.line, s.set_name, s.kept, 'c' || d.number || '/' || s.set_name AS event_id
FROM drawn d, unnest([{'set_name': 'required', 'kept': 3}, {'set_name': 'retrieved', 'kept': 8}, {'set_name': 'eligible', 'kept': 7},
                      {'set_name': 'composed', 'kept': 5}, {'set_name': 'consumed', 'kept': 4}, {'set_name': 'current', 'kept': 8}]) AS s (s)
WHERE chance('context', d.n, d.number) < 0.04 AND chance(s.set_name, d.n, d.number) < 0.93;

INSERT INTO context_sets BY NAME
SELECT run_id, event_id, CAST(number AS VARCHAR) AS step_id, set_name, true AS recorded, kept AS items, agent, phase, happened AS occurred_at,
       'recorded' AS basis, position + 6 AS position, file_id, line, 1 AS unit
FROM drawn_sets;

INSERT INTO context_items BY NAME
SELECT run_id, event_id, CAST(number AS VARCHAR) AS step_id, set_name, 'doc-' || skewed(400, 'doc', n, number * 8 + i.item) AS item_id,
       CAST(CASE WHEN set_name = 'current' AND chance('stale', n, number * 8 + i.item) < 0.05 THEN 5 ELSE 4 END AS VARCHAR) AS revision,
       file_id, line, 1 AS unit
FROM drawn_sets, unnest(range(kept)) AS i (item);

INSERT INTO context_ops BY NAME
SELECT run_id, 'o' || number AS event_id, happened AS occurred_at, among(['compaction', 'compaction', 'reset', 'checkpoint', 'rollback'], 'op', n, number) AS op,
       CASE WHEN op = 'reset' THEN 1 + CAST(floor(7 * luck) AS BIGINT) END AS trigger_no, luck < 0.5 AS escalated,
       CASE WHEN luck < 0.8 THEN luck < 0.7 END AS resume_contract_kept, agent, position + 7 AS position, file_id, line, 1 AS unit
FROM drawn WHERE chance('operation', n, number) < 0.002;

INSERT INTO delegations BY NAME
SELECT run_id, 'd' || number AS event_id, happened AS occurred_at, 'task-' || number % 4 AS task_id, agent AS from_agent,
       'agent-' || skewed(30, 'to', n, number) AS to_agent, number % 6 AS hop_count, luck < 0.1 AS denied, position + 8 AS position, file_id, line, 1 AS unit
FROM drawn WHERE chance('coordinates', n, 0) < 0.06 AND chance('delegates', n, number) < 0.06;

INSERT INTO waits BY NAME
SELECT run_id, 'w' || number AS event_id, agent AS waiter, 'agent-' || skewed(30, 'holder', n, number) AS holder, 'lock' AS waits_for, happened AS since,
       happened + INTERVAL 30 SECONDS AS deadline, CASE WHEN luck < 0.9 THEN happened + to_seconds(CAST(40 * luck AS BIGINT)) END AS until, position + 9 AS position, file_id, line, 1 AS unit
FROM drawn WHERE chance('coordinates', n, 0) < 0.06 AND chance('waits', n, number) < 0.03;

INSERT INTO handoffs BY NAME
SELECT run_id, 'h' || number AS event_id, happened AS occurred_at, agent AS from_agent, 'agent-' || skewed(30, 'handed', n, number) AS to_agent,
       CASE WHEN luck < 0.3 THEN 'refused' ELSE 'accepted' END AS status, CASE WHEN luck < 0.3 THEN CAST(1 + CAST(floor(15 * luck) AS BIGINT) AS VARCHAR) END AS condition,
       position + 10 AS position, file_id, line, 1 AS unit
FROM drawn WHERE chance('coordinates', n, 0) < 0.06 AND chance('hands over', n, number) < 0.03;

INSERT INTO replays BY NAME
SELECT run_id, 'p' || i.item AS event_id, started_at AS occurred_at, left(md5(concat_ws('/', 'run', n - 1, getvariable('seed'))), 24) AS replay_of,
       among(['acceptable', 'acceptable_with_warnings', 'unacceptable'], 'replayed', n, 0) AS verdict, ['events', 'plan', 'output'][i.item] AS dimension,
       'x' AS expected, CASE WHEN chance('differs', n, i.item) < 0.3 THEN 'y' ELSE 'x' END AS observed, i.item AS position, file_id, 2 AS line, 1 AS unit
FROM drawn_runs, unnest([1, 2, 3]) AS i (item) WHERE n > 0 AND chance('replay', n, 0) < 0.02;

INSERT INTO reported_metrics BY NAME
SELECT run_id, 'q' || i.chain AS event_id, i.chain, 2 AS attempts, round(chance('said rate', n, 0), 2) AS success_rate, 0.8 AS avg_confidence,
       999 AS position, file_id, 3 AS line, 1 AS unit
FROM drawn_runs, unnest(['A', 'B']) AS i (chain) WHERE chance('reports', n, 0) < 0.03;
