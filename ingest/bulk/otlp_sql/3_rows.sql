-- The rows of the spans that are not left to the records.
INSERT INTO spans BY NAME
SELECT otlp_run(trace_id) AS run_id, span_id, parent_span_id, kind, name, phase, agent, started_at, ended_at,
       status, tool, model, CAST(replace(input_tokens, '"', '') AS BIGINT) AS input_tokens,
       CAST(replace(output_tokens, '"', '') AS BIGINT) AS output_tokens, CAST(cost AS DOUBLE) AS cost_usd,
       otlp_object(concat(members, ',"input_digest":"' || otlp_digest(input, input_is, digest) || '"')) AS attributes,
       getvariable('otlp_file') AS file_id, line, otlp_unit(line, ordinal) AS unit, otlp_position(line, ordinal) AS position
FROM otlp_read LEFT JOIN otlp_digests USING (input, input_is)
WHERE reason IS NULL;

-- The exception that a failure consists of is part of the failure.
INSERT INTO events BY NAME
SELECT otlp_run(trace_id) AS run_id, span_id || '/event/' || event_at AS event_id, span_id,
       coalesce(happened_at, ended_at, started_at) AS occurred_at, events.kind, events.name, phase, agent, summary, attributes,
       CASE events.kind WHEN 'exception' THEN ['handled_or_unknown'] END AS flags,
       getvariable('otlp_file') AS file_id, line, otlp_unit(line, ordinal) AS unit,
       otlp_position(line, ordinal) + 1 + has_failed::BIGINT + sets + event_at
           - coalesce(raised_at < event_at, false)::BIGINT AS position
FROM otlp_said_events events JOIN otlp_read USING (span_row)
WHERE reason IS NULL AND event_at IS DISTINCT FROM raised_at;

INSERT INTO context_sets BY NAME
SELECT otlp_run(trace_id) AS run_id, span_id || '/context/' || set_name AS event_id, span_id AS step_id, set_name,
       true AS recorded, items, agent, phase, coalesce(ended_at, started_at) AS occurred_at, basis, rule,
       getvariable('otlp_file') AS file_id, line, otlp_unit(line, ordinal) AS unit,
       otlp_position(line, ordinal) + 1 + has_failed::BIGINT + set_at AS position
FROM otlp_sets JOIN otlp_read USING (span_row) WHERE reason IS NULL;

INSERT INTO context_items BY NAME
SELECT otlp_run(trace_id) AS run_id, span_id || '/context/' || set_name AS event_id, span_id AS step_id, set_name,
       item_id, revision, getvariable('otlp_file') AS file_id, line, otlp_unit(line, ordinal) AS unit
FROM otlp_items JOIN otlp_read USING (span_row) WHERE reason IS NULL;
