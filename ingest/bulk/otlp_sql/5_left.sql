-- The spans that are left to the records, each as a line of its own with its resource and scope.
SELECT line, offset_bytes, before, reason,
       concat('{"resourceSpans":[{', '"resource":' || nullif(resource, '') || ',', '"scopeSpans":[{',
              '"scope":' || nullif(scope, '') || ',', '"spans":[', span, ']}]}]}') AS text
FROM (
    SELECT otlp_read.line, ordinal AS before, reason, resource, scope, span
    FROM otlp_read JOIN otlp_spans ON otlp_spans.rowid = span_row
    WHERE reason IS NOT NULL AND NOT whole_line
)
JOIN otlp_lines USING (line);
