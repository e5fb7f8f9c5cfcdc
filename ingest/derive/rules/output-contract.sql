-- rule: output-contract
-- severity: error
-- statement: Empty goal, context id or text; confidence or score outside 0 to 1; contract version missing.
-- needs: the input and output of an entry
-- advice: Refuse the output at the boundary: what is empty or out of range must not be used further on.
-- when: spans WHERE kind = 'entry'
WITH entries AS (
    SELECT run_id, span_id, phase, attributes, coalesce(json_type(attributes, '$.output'), 'NULL') = 'OBJECT' AS has_output,
           coalesce(json_type(attributes, '$.input'), 'NULL') = 'OBJECT' AS has_input,
           TRY_CAST(json_extract_string(attributes, '$.output.confidence') AS DOUBLE) AS confidence,
           json_extract(attributes, '$.output.text') AS written,
           coalesce(json_extract_string(attributes, '$.output.metadata.contract_version'),
                    json_extract_string(attributes, '$.replay_metadata.contract_version'),
                    json_extract_string(attributes, '$.input.metadata.contract_version')) AS contract_version,
           coalesce(len(list_filter(
               list_concat(json_extract_string(attributes, '$.output.scores.*'), json_extract_string(attributes, '$.scores.*')),
               lambda s: coalesce(TRY_CAST(s AS DOUBLE) NOT BETWEEN 0 AND 1, true))), 0) AS bad_scores
    FROM spans WHERE kind = 'entry'
),
judged AS (
    SELECT *, list_filter([
        CASE WHEN has_input AND trim(json_extract_string(attributes, '$.input.task_goal')) = '' THEN 'empty goal' END,
        CASE WHEN has_input AND trim(json_extract_string(attributes, '$.input.context_id')) = '' THEN 'empty context id' END,
        CASE WHEN has_output AND phase IS DISTINCT FROM 'ABORTED'
                  AND (written IS NULL OR json_type(written) = 'NULL' OR json_type(written) IN ('OBJECT', 'ARRAY')
                       AND json(written) IN ('{}', '[]') OR trim(json_extract_string(attributes, '$.output.text')) = '')
             THEN 'empty text' END,
        CASE WHEN confidence NOT BETWEEN 0 AND 1 THEN 'confidence ' || confidence END,
        CASE WHEN bad_scores > 0 THEN bad_scores || ' scores outside 0 to 1' END,
        CASE WHEN has_output AND contract_version IS NULL THEN 'contract version missing' END
    ], lambda fault: fault IS NOT NULL) AS faults
    FROM entries
)
SELECT run_id, span_id AS event_id, CASE WHEN NOT has_output AND NOT has_input THEN NULL ELSE len(faults) > 0 END AS violated,
       array_to_string(faults, '; ') AS message, json_object('faults', faults, 'phase', phase) AS evidence
FROM judged
