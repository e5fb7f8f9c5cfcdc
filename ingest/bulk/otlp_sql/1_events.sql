-- The events of the spans that have some, one a row.
CREATE OR REPLACE TEMP TABLE otlp_events AS
WITH opened AS (
    SELECT rowid AS span_row, strlen(events) AS size,
           from_json(events, '[{"timeUnixNano": "JSON", "name": "JSON", "droppedAttributesCount": "JSON",
               "attributes": [{"key": "JSON", "value": {"stringValue": "JSON", "intValue": "JSON", "boolValue": "JSON",
                   "doubleValue": "JSON", "arrayValue": "JSON"}}]}]') AS found
    FROM otlp_spans WHERE events IS NOT NULL
),
one AS (
    SELECT span_row, size, unnest(found) AS e, CAST(generate_subscripts(found, 1) - 1 AS BIGINT) AS event_at FROM opened
)
SELECT span_row, size, event_at, CAST(e.name AS VARCHAR) AS name, CAST(e.timeUnixNano AS VARCHAR) AS moment,
       otlp_keys(e.attributes) AS keys, otlp_said(e.attributes) AS said,
       2 + coalesce(16 + strlen(e.timeUnixNano), 0) + coalesce(8 + strlen(e.name), 0)
           + coalesce(26 + strlen(e.droppedAttributesCount), 0)
           + coalesce(14 + otlp_attributes_size(e.attributes), 0) AS counted
FROM one;
