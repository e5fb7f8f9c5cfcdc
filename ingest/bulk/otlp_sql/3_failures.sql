-- The spans that failed.
CREATE OR REPLACE TEMP TABLE otlp_failures AS
SELECT spans.span_row, spans.line, ordinal, trace_id, span_id, spans.kind, http, phase, agent,
       coalesce(happened_at, ended_at, started_at) AS occurred_at, raised_type AS type,
       coalesce(error_type, raised_type) AS error_code,
       coalesce(status_message, raised_message, error_message) AS details,
       coalesce(nullif(tool, ''), spans.name) AS location, otlp_digest(input, input_is, digest) AS state_hash,
       CASE WHEN code = 'ok' THEN ['status_disagrees'] END AS flags, raised.attributes AS attributes,
       CAST(NULL AS BIGINT) AS step_index, CAST(NULL AS VARCHAR) AS signature,
       CAST(NULL AS BOOLEAN) AS signature_partial
FROM otlp_read spans
LEFT JOIN otlp_said_events raised ON raised.span_row = spans.span_row AND event_at = raised_at
LEFT JOIN otlp_digests USING (input, input_is)
WHERE reason IS NULL AND has_failed;
