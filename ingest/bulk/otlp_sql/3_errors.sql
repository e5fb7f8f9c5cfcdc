-- The failures with their classes and signatures; where they come from is added behind.
INSERT INTO error_events BY NAME
SELECT otlp_run(trace_id) AS run_id, span_id || '/error' AS event_id, span_id, occurred_at, type, error_code,
       tool_error_class, phase, agent, details, location, state_hash, own_signature AS signature,
       own_partial AS signature_partial, 'recorded' AS basis, rule, flags, attributes, getvariable('otlp_file') AS file_id,
       line, otlp_unit(line, ordinal) AS unit, otlp_position(line, ordinal) + 1 AS position
