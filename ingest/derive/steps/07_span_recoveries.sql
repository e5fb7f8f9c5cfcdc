-- when: run_records WHERE json_extract_string(attributes, '$.outcome_from') = 'root_spans'
-- fills: events, recovery_events
-- Retries and recoveries of runs whose records are spans. Nobody records them, so a rule finds them: a span that began
-- after a failed one had ended, with the same parent, name, tool and input (as far as they are recorded), is a
-- retry of it; the first such span that ended well is a recovery. Found anew from all spans of a run whenever it changes.
CREATE OR REPLACE TEMP TABLE span_runs AS
SELECT DISTINCT run_id FROM run_records
WHERE event_id <> 'derived:outcome' AND json_extract_string(attributes, '$.outcome_from') = 'root_spans';

DELETE FROM recovery_events
WHERE event_id LIKE 'derived:recovery:%' AND run_id IN (SELECT run_id FROM span_runs);
DELETE FROM events
WHERE event_id LIKE 'derived:retry:%' AND run_id IN (SELECT run_id FROM span_runs);

CREATE OR REPLACE TEMP TABLE span_retries AS
WITH failures AS (
    SELECT run_id, span_id, min(event_id) AS error_event_id, arg_min(coalesce(error_code, details), event_id) AS said
    FROM error_events
    WHERE span_id IS NOT NULL AND run_id IN (SELECT run_id FROM span_runs)
    GROUP BY run_id, span_id
),
-- What no failure has in common with it is no retry: its attributes need not be read.
alike AS (
    SELECT s.*, f.error_event_id, f.said
    FROM spans s LEFT JOIN failures f ON f.run_id = s.run_id AND f.span_id = s.span_id
    WHERE (s.run_id, s.name, coalesce(s.parent_span_id, ''), coalesce(s.tool, '')) IN (
        SELECT (o.run_id, o.name, coalesce(o.parent_span_id, ''), coalesce(o.tool, ''))
        FROM spans o SEMI JOIN failures ON failures.run_id = o.run_id AND failures.span_id = o.span_id)
),
calls AS (
    SELECT s.run_id, s.span_id, s.name, s.tool, s.agent, s.phase, s.started_at, s.ended_at, s.file_id, s.part, s.line,
           json_extract_string(s.attributes, '$.input_digest') AS input_digest,
           concat_ws(chr(31), s.run_id, coalesce(s.parent_span_id, ''), s.name, coalesce(s.tool, ''),
                     coalesce(input_digest, '')) AS operation,
           s.error_event_id, s.said,
           s.error_event_id IS NULL AND s.status IN ('ok', 'unset') AND s.ended_at IS NOT NULL AS is_well
    FROM alike s WHERE s.name IS NOT NULL AND s.started_at IS NOT NULL
),
placed AS (
    SELECT *,
           count(*) FILTER (is_well) OVER before AS episode,
           max(started_at) FILTER (is_well) OVER before AS last_well_at
    FROM calls
    WINDOW before AS (
        PARTITION BY operation ORDER BY started_at, span_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
failed AS (
    SELECT operation, span_id, error_event_id, said,
           -- A failed call without an end was over, at the earliest, just after it began.
           greatest(coalesce(ended_at, started_at), started_at + INTERVAL 1 MICROSECOND) AS over_at,
           row_number() OVER (PARTITION BY operation, episode ORDER BY over_at, span_id) AS attempt
    FROM placed WHERE error_event_id IS NOT NULL
)
SELECT again.run_id, again.span_id, again.name, again.tool, again.agent, again.phase, again.started_at, again.ended_at,
       again.file_id, again.part, again.line, again.is_well, again.input_digest IS NOT NULL AS same_input,
       failed.attempt + 1 AS attempt, failed.error_event_id, failed.span_id AS failed_span_id, failed.said
FROM placed again ASOF JOIN failed ON failed.operation = again.operation AND again.started_at >= failed.over_at
-- Once an attempt ended well, what follows is the next call and no retry of what failed before.
WHERE again.last_well_at IS NULL OR again.last_well_at < failed.over_at;

INSERT INTO events BY NAME
SELECT run_id, 'derived:retry:' || span_id AS event_id, span_id, started_at AS occurred_at, 'retry' AS kind, name, phase,
       agent, 'attempt ' || attempt || ' of ' || name AS summary, file_id, part, line,
       json_object(
           'basis', 'derived',
           'rule', 'sibling_again: same parent, name, tool and recorded input as a span that had failed before',
           'attempt', attempt, 'of_event', error_event_id,
           'input', CASE WHEN same_input THEN 'same' ELSE 'not recorded' END) AS attributes
FROM span_retries
-- A retry that the producer recorded itself is not derived a second time.
WHERE NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.run_id = span_retries.run_id AND r.span_id = span_retries.span_id AND r.kind = 'retry'
      AND r.event_id NOT LIKE 'derived:%');

INSERT INTO recovery_events BY NAME
SELECT run_id, 'derived:recovery:' || span_id AS event_id, ended_at AS occurred_at, said AS trigger, 'RECOVERED' AS outcome,
       error_event_id AS for_event, 'derived' AS basis,
       'sibling_succeeded: a later span with the same parent, name, tool and recorded input ended without an error'
           AS rule,
       file_id, part, line,
       json_object('span_id', span_id, 'attempts', attempt, 'tool', tool, 'name', name) AS attributes
FROM span_retries
WHERE is_well
  -- A recovery that the producer recorded itself is not derived a second time.
  AND NOT EXISTS (
      SELECT 1 FROM recovery_events r
      WHERE r.run_id = span_retries.run_id AND r.basis = 'recorded'
        AND (r.for_event = span_retries.error_event_id
             OR r.event_id IN (span_retries.span_id || '/recovery', span_retries.failed_span_id || '/recovery'))
  );
DROP TABLE span_retries;
