-- rule: class-guessed
-- severity: error
-- statement: A recorded contract class on an exception outside the closed map, or environmental without dependency and operation.
-- needs: the type of the exception
-- advice: Leave it unclassified: a guessed class sends the operator the wrong way.
-- when: error_events WHERE contract_class IS NOT NULL
WITH closed_map (type, contract_class) AS (
    VALUES ('ResolutionFailure', 'structural'), ('ExecutionFailure', 'structural'), ('RetrievalFailure', 'structural'),
           ('ReasoningFailure', 'structural'), ('ConfigurationError', 'structural'), ('VerificationFailure', 'semantic'),
           ('NonDeterminismViolationError', 'semantic'), ('SemanticViolationError', 'authority')
),
recorded AS (
    SELECT e.run_id, e.event_id, e.type, e.contract_class, m.contract_class AS mapped,
           nullif(json_extract_string(e.attributes, '$.dependency'), '') IS NOT NULL
               AND nullif(json_extract_string(e.attributes, '$.operation'), '') IS NOT NULL AS names_dependency
    FROM error_events e LEFT JOIN closed_map m ON m.type = regexp_extract(e.type, '([^.]+)$', 1)
    WHERE e.contract_class IS NOT NULL AND coalesce(e.contract_class_basis, e.basis) = 'recorded'
)
SELECT run_id, event_id,
       CASE WHEN contract_class = 'unclassified' THEN false
            WHEN contract_class = 'environmental' THEN NOT names_dependency
            WHEN type IS NULL THEN NULL
            ELSE contract_class IS DISTINCT FROM mapped END AS violated,
       CASE WHEN contract_class = 'environmental' THEN 'environmental without the failing dependency and its operation'
            WHEN mapped IS NULL THEN contract_class || ' for ' || type || ', which no contract names: it stays unclassified'
            ELSE contract_class || ' for ' || type || ', which is ' || mapped END AS message,
       json_object('type', type, 'recorded', contract_class, 'mapped', mapped) AS evidence
FROM recorded
