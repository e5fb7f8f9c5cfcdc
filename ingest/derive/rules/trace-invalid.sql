-- rule: trace-invalid
-- severity: error
-- statement: Scores missing in PLAN to VERIFY; ABORTED without stop reason or artifact, or the reverse; FINALIZE without decision; last entry without prompt_hash, model_hash or fingerprint; header without runtime_version, convergence_hash or model_metadata.
-- needs: a run trace with its header and entries
-- advice: The producer's own validator rejects this trace: do not replay it or cite it as evidence before it is written whole.
-- when: runs WHERE json_extract_string(attributes, '$.record') = 'run_trace'
WITH traces AS (
    SELECT run_id, attributes, json_extract_string(attributes, '$.lifecycle') AS lifecycle,
           TRY_CAST(json_extract_string(attributes, '$.entries') AS BIGINT) AS entries
    FROM runs WHERE json_extract_string(attributes, '$.record') = 'run_trace'
),
entries AS (
    SELECT s.run_id, s.span_id, s.phase, s.attributes, json_extract_string(s.attributes, '$.stop_reason') AS stop_reason,
           coalesce(json_type(s.attributes, '$.failure_artifact') = 'OBJECT', false) AS has_failure,
           coalesce(json_type(s.attributes, '$.decision_artifact') = 'OBJECT', false) AS has_decision,
           coalesce(len(json_keys(s.attributes, '$.scores')), 0) > 0
               OR coalesce(len(json_keys(s.attributes, '$.output.scores')), 0) > 0 AS has_scores
    FROM spans s WHERE s.kind = 'entry' AND s.run_id IN (SELECT run_id FROM traces)
),
faults AS (
    SELECT run_id, span_id, unnest(list_filter([
        CASE WHEN phase IN ('PLAN', 'EXECUTE', 'JUDGE', 'VERIFY') AND NOT has_scores THEN 'scores missing in ' || phase END,
        CASE WHEN phase = 'ABORTED' AND stop_reason IS NULL THEN 'ABORTED without stop reason' END,
        CASE WHEN phase = 'ABORTED' AND NOT has_failure THEN 'ABORTED without failure artifact' END,
        CASE WHEN phase <> 'ABORTED' AND has_failure THEN 'failure artifact in ' || phase END,
        CASE WHEN phase = 'FINALIZE' AND NOT has_decision THEN 'FINALIZE without decision' END
    ], lambda fault: fault IS NOT NULL)) AS fault
    FROM entries
    UNION ALL
    SELECT run_id, CASE WHEN fault LIKE 'last entry%' THEN 'entry-' || (entries - 1) END, fault
    FROM (
        SELECT run_id, entries, unnest(list_filter([
            CASE WHEN nullif(json_extract_string(attributes, '$.last_entry.prompt_hash'), '') IS NULL
                 THEN 'last entry without prompt_hash' END,
            CASE WHEN nullif(json_extract_string(attributes, '$.last_entry.model_hash'), '') IS NULL
                 THEN 'last entry without model_hash' END,
            CASE WHEN json_extract_string(attributes, '$.last_entry.has_run_fingerprint') = 'false'
                 THEN 'last entry without fingerprint' END,
            CASE WHEN nullif(json_extract_string(attributes, '$.runtime_version'), '') IS NULL
                 THEN 'header without runtime_version' END,
            CASE WHEN nullif(json_extract_string(attributes, '$.convergence_hash'), '') IS NULL
                 THEN 'header without convergence_hash' END,
            CASE WHEN coalesce(json_type(attributes, '$.model_metadata'), 'NULL') <> 'OBJECT'
                 THEN 'header without model_metadata' END
        ], lambda fault: fault IS NOT NULL)) AS fault
        FROM traces WHERE entries > 0)
),
gathered AS (
    SELECT run_id, list(fault ORDER BY span_id NULLS LAST, fault) AS faults, min(span_id) AS event_id FROM faults GROUP BY run_id
)
SELECT t.run_id, g.event_id, CASE WHEN coalesce(t.entries, 0) = 0 THEN NULL ELSE g.faults IS NOT NULL END AS violated,
       array_to_string(g.faults, '; ') AS message,
       json_object('faults', g.faults, 'lifecycle', t.lifecycle, 'entries', t.entries) AS evidence
FROM traces t LEFT JOIN gathered g USING (run_id)
