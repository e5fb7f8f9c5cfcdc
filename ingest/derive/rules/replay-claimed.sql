-- rule: replay-claimed
-- severity: error
-- statement: REPLAYABLE with a class that is not replayable, a temperature other than 0, or a missing replay field.
-- needs: a replay status
-- advice: Mark the run NON_REPLAYABLE, or record what a replay needs and set the temperature to 0.
-- when: runs WHERE json_extract_string(attributes, '$.replay_status') IS NOT NULL OR json_extract_string(attributes, '$.record') = 'run_trace'
WITH claims AS (
    SELECT run_id, upper(json_extract_string(attributes, '$.replay_status')) AS claimed, attributes,
           TRY_CAST(json_extract_string(attributes, '$.model_metadata.temperature') AS DOUBLE) AS temperature
    FROM runs
    WHERE json_extract_string(attributes, '$.replay_status') IS NOT NULL OR json_extract_string(attributes, '$.record') = 'run_trace'
),
metadata AS (
    SELECT s.run_id,
           list_sort(list_distinct(flatten(list(list_concat(
               CASE WHEN nullif(json_extract_string(s.attributes, '$.replay_metadata.input_hash'), '') IS NULL
                    THEN ['input_hash'] ELSE [] END,
               CASE WHEN nullif(json_extract_string(s.attributes, '$.replay_metadata.model_id'), '') IS NULL
                    THEN ['model_id'] ELSE [] END))))) AS missing,
           max(TRY_CAST(json_extract_string(s.attributes, '$.replay_metadata.model_metadata.temperature') AS DOUBLE)) AS temperature
    FROM spans s WHERE s.kind = 'entry' AND s.run_id IN (SELECT run_id FROM claims WHERE claimed = 'REPLAYABLE') GROUP BY s.run_id
),
classes AS (
    SELECT e.run_id, min(e.failure_class) AS failure_class
    FROM error_events e JOIN failure_profiles p ON p.failure_class = e.failure_class
    WHERE NOT p.replayable GROUP BY e.run_id
),
read AS (
    SELECT c.run_id, claimed, failure_class, coalesce(nullif(m.temperature, 0), c.temperature) AS hot,
           list_concat(
               CASE WHEN nullif(json_extract_string(c.attributes, '$.config_hash'), '') IS NULL
                         AND json_extract_string(c.attributes, '$.record') = 'run_trace' THEN ['config_hash'] ELSE [] END,
               CASE WHEN nullif(json_extract_string(c.attributes, '$.convergence_hash'), '') IS NULL
                         AND json_extract_string(c.attributes, '$.record') = 'run_trace' THEN ['convergence_hash'] ELSE [] END,
               coalesce(m.missing, [])) AS missing
    FROM claims c LEFT JOIN metadata m USING (run_id) LEFT JOIN classes USING (run_id)
)
SELECT run_id, NULL AS event_id,
       CASE WHEN claimed IS NULL THEN NULL
            ELSE claimed = 'REPLAYABLE' AND (failure_class IS NOT NULL OR coalesce(hot <> 0, false) OR len(missing) > 0) END AS violated,
       'REPLAYABLE is claimed, but ' || concat_ws('; ', failure_class || ' is not replayable',
           CASE WHEN hot <> 0 THEN 'the temperature is ' || hot END,
           CASE WHEN len(missing) > 0 THEN 'missing: ' || array_to_string(missing, ', ') END) AS message,
       json_object('replay_status', claimed, 'failure_class', failure_class, 'temperature', hot, 'missing', missing) AS evidence
FROM read
