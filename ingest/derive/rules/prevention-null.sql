-- rule: prevention-null
-- severity: warning
-- statement: A prevention that names no layer.
-- needs: a prevention
-- advice: Name the layer that will stop it: instruction file, tool contract, permission grant, gate, ingestion, budget order, freshness typing or routing.
-- when: diagnoses
SELECT run_id, coalesce(event_id, diagnosis_id) AS event_id, coalesce(list_contains(flags, 'null_prevention'), false) AS violated,
       'this prevents nothing: ' || prevention AS message,
       json_object('prevention', prevention, 'layer', prevention_layer) AS evidence
FROM diagnoses WHERE nullif(trim(prevention), '') IS NOT NULL
UNION ALL
SELECT run_id, coalesce(event_id, diagnosis_id), NULL, NULL, NULL
FROM diagnoses WHERE nullif(trim(prevention), '') IS NULL AND status = 'closed'
