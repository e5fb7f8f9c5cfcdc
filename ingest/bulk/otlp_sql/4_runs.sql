-- What the spans say of their runs, each fact once: a run record a fact, its id made of the fact.
INSERT INTO run_records BY NAME
WITH said AS (
    SELECT trace_id, service, session, resource_digest, any_value(resource_attributes) AS resource_attributes,
           min(line * 4294967296 + ordinal) AS place
    FROM otlp_read WHERE reason IS NULL
    GROUP BY trace_id, service, session, resource_digest
),
facts AS (
    SELECT trace_id, 'spans' AS event_id, NULL AS workload, NULL AS session_id, min(place) AS place,
           '{"outcome_from":"root_spans"}' AS attributes,
           CASE WHEN regexp_full_match(trace_id, '(?:0{16})?[0-9a-f]{16}') THEN ['short_trace_id'] END AS flags
    FROM said GROUP BY trace_id
    UNION ALL
    SELECT trace_id, 'service:' || service, service, NULL, min(place), NULL, NULL
    FROM said WHERE service IS NOT NULL GROUP BY trace_id, service
    UNION ALL
    SELECT trace_id, 'session:' || otlp_text(session), NULL, otlp_text(session), min(place), NULL, NULL
    FROM said WHERE session IS NOT NULL GROUP BY trace_id, session
    UNION ALL
    SELECT trace_id, 'resource:' || resource_digest, NULL, NULL, min(place), any_value(resource_attributes), NULL
    FROM said WHERE resource_digest IS NOT NULL GROUP BY trace_id, resource_digest
)
SELECT otlp_run(trace_id) AS run_id, event_id, 'opentelemetry' AS source, trace_id AS native_id,
       'recorded' AS identity, coalesce(CAST(getvariable('otlp_workload') AS VARCHAR), workload) AS workload, session_id, attributes,
       flags, getvariable('otlp_file') AS file_id, line, otlp_unit(line, ordinal) AS unit,
       otlp_position(line, ordinal) AS position
FROM (SELECT *, place // 4294967296 AS line, place % 4294967296 AS ordinal FROM facts);
