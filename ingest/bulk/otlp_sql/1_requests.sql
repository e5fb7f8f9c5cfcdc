-- The spans of the lines that hold nothing but requests of spans, one a row. JSON is compared by its length: where the
-- known keys are as long as the whole, there is no other key and none twice. `around` is what stands round the spans.
CREATE OR REPLACE TEMP TABLE otlp_spans AS
WITH lines AS (
    SELECT line, text, CAST(TRY(json(text)) AS VARCHAR) AS plain,
           TRY(from_json(text, '{"resourceSpans": [{"resource": "JSON", "schemaUrl": "JSON", "scopeSpans": [
               {"scope": "JSON", "schemaUrl": "JSON", "spans": ["JSON"]}]}]}')).resourceSpans AS found
    FROM otlp_lines
),
resources AS (
    -- DuckDB passes over a comma too many: of such a line no size is known.
    SELECT line, CASE WHEN starts_with(text, plain) OR NOT regexp_matches(text, ',\s*[\]}]') THEN strlen(plain) END AS size,
           unnest(found) AS entry, generate_subscripts(found, 1) AS resource_at
    FROM lines
),
scopes AS (
    SELECT line, size, resource_at, CAST(entry.resource AS VARCHAR) AS resource, entry.schemaUrl AS schema_url,
           unnest(entry.scopeSpans) AS entry, generate_subscripts(entry.scopeSpans, 1) AS scope_at
    FROM resources
),
spans AS (
    SELECT line, size, resource_at, scope_at, coalesce(resource, '') AS resource,
           coalesce(CAST(entry.scope AS VARCHAR), '') AS scope,
           12 + coalesce(9 + strlen(entry.scope), 0) + coalesce(13 + strlen(entry.schemaUrl), 0)
               + CASE WHEN scope_at > 1 THEN 0
                 ELSE 17 + coalesce(12 + strlen(resource), 0) + coalesce(13 + strlen(schema_url), 0) END AS around,
           unnest(entry.spans) AS span, generate_subscripts(entry.spans, 1) AS span_at, false AS bare
    FROM scopes
),
