-- Every veto that a run records, as a decision or as a failure artifact, with its epistemic verdict.
CREATE OR REPLACE TEMP TABLE vetoes AS
SELECT run_id, event_id, span_id, seq, phase, 'decision' AS written_as, NULL AS failure_class,
       json_extract_string(attributes, '$.epistemic_verdict') AS epistemic_verdict,
       json_extract(attributes, '$.decision') IS NOT NULL AS has_artifact,
       json_extract_string(attributes, '$.termination_reason') AS termination_reason
FROM events WHERE kind = 'decision' AND lower(name) = 'veto'
UNION ALL
SELECT e.run_id, e.event_id, e.span_id, e.seq, e.phase, 'artifact', e.failure_class,
       coalesce(json_extract_string(e.attributes, '$.epistemic_verdict'), json_extract_string(s.attributes, '$.epistemic_verdict')),
       true, NULL
FROM error_events e LEFT JOIN spans s ON s.run_id = e.run_id AND s.span_id = e.span_id
WHERE e.failure_class IN ('verification_veto', 'epistemic_uncertainty');
