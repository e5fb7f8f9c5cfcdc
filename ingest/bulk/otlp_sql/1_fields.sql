fields AS (
    SELECT *, from_json(span, '{"traceId": "JSON", "spanId": "JSON", "parentSpanId": "JSON", "traceState": "JSON",
               "name": "JSON", "kind": "JSON", "startTimeUnixNano": "JSON", "endTimeUnixNano": "JSON",
               "attributes": [{"key": "JSON", "value": {"stringValue": "JSON", "intValue": "JSON", "boolValue": "JSON",
                   "doubleValue": "JSON", "arrayValue": "JSON"}}],
               "droppedAttributesCount": "JSON", "events": "JSON", "droppedEventsCount": "JSON", "links": "JSON",
               "droppedLinksCount": "JSON", "status": {"code": "JSON", "message": "JSON"}, "flags": "JSON"}') AS f
    FROM spans
)
SELECT line, size, resource_at, scope_at, span_at, bare, resource, scope, CAST(span AS VARCHAR) AS span,
       CASE WHEN span_at = 1 THEN around ELSE 0 END + strlen(span) + 1 AS counted,
       CAST(f.traceId AS VARCHAR) AS trace_id, CAST(f.spanId AS VARCHAR) AS span_id,
       CAST(f.parentSpanId AS VARCHAR) AS parent_span_id, CAST(f.traceState AS VARCHAR) AS trace_state,
       CAST(f.name AS VARCHAR) AS name, coalesce(CAST(f.kind AS VARCHAR), '') AS kind,
       CAST(f.startTimeUnixNano AS VARCHAR) AS began, CAST(f.endTimeUnixNano AS VARCHAR) AS ended,
       CAST(f.droppedAttributesCount AS VARCHAR) AS dropped_attributes,
       CAST(f.droppedEventsCount AS VARCHAR) AS dropped_events, CAST(f.droppedLinksCount AS VARCHAR) AS dropped_links,
       nullif(CAST(f.events AS VARCHAR), '[]') AS events, nullif(CAST(f.links AS VARCHAR), '[]') AS links,
       coalesce(CAST(f.status.code AS VARCHAR), '') AS status, CAST(f.status.message AS VARCHAR) AS status_message,
       CAST(f.flags AS VARCHAR) AS trace_flags, otlp_keys(f.attributes) AS keys, otlp_said(f.attributes) AS said,
       coalesce(strlen(span) = 1
           + coalesce(11 + strlen(f.traceId), 0) + coalesce(10 + strlen(f.spanId), 0)
           + coalesce(16 + strlen(f.parentSpanId), 0) + coalesce(14 + strlen(f.traceState), 0)
           + coalesce(8 + strlen(f.name), 0) + coalesce(8 + strlen(f.kind), 0)
           + coalesce(21 + strlen(f.startTimeUnixNano), 0) + coalesce(19 + strlen(f.endTimeUnixNano), 0)
           + coalesce(26 + strlen(f.droppedAttributesCount), 0) + coalesce(10 + strlen(f.events), 0)
           + coalesce(22 + strlen(f.droppedEventsCount), 0) + coalesce(9 + strlen(f.links), 0)
           + coalesce(21 + strlen(f.droppedLinksCount), 0) + coalesce(9 + strlen(f.flags), 0)
           -- An empty list, a text or a number of two signs are as long as an empty object, and nothing is read of them.
           + CASE WHEN f.status IS NULL THEN 0
             WHEN f.status.code IS NULL AND f.status.message IS NULL THEN
                 CASE WHEN contains(span, '"status":{}') THEN 12 END
             ELSE 11 + coalesce(8 + strlen(f.status.code), 0) + coalesce(11 + strlen(f.status.message), 0) END
           + coalesce(14 + otlp_attributes_size(f.attributes), 0), false) AS whole
FROM fields;
