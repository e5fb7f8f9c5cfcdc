-- The lines that are a span each.
INSERT INTO otlp_spans BY NAME
WITH spans AS (
    SELECT line, 1 AS resource_at, 1 AS scope_at, 1 AS span_at, true AS bare, '' AS resource, '' AS scope, -20 AS around,
           CASE WHEN starts_with(text, TRY(json(text))) OR NOT regexp_matches(text, ',\s*[\]}]')
                THEN strlen(TRY(json(text))) END AS size,
           TRY(json(text)) AS span
    FROM otlp_lines WHERE line NOT IN (SELECT line FROM otlp_spans) AND contains(text, '"traceId"')
),
