-- Lines of another form, and lines with something to be said about all their spans: to the records as they are.
CREATE OR REPLACE TEMP TABLE otlp_whole_lines AS
SELECT line, offset_bytes, text, 'form' AS reason, CAST(0 AS BIGINT) AS before FROM otlp_lines
WHERE line NOT IN (SELECT line FROM otlp_read)
   OR list_contains(getvariable('otlp_flagged'), line)
   OR line IN (SELECT line FROM otlp_read WHERE reason IS NOT NULL AND whole_line);
UPDATE otlp_read SET reason = 'flagged' WHERE reason IS NULL AND line IN (SELECT line FROM otlp_whole_lines);
