-- rule: resume-identity
-- severity: error
-- statement: A resumed run with another tenant, run or plan; event indexes that restart or overlap.
-- needs: what the run was resumed from (tenant, run, plan, event index), or its checkpoint
-- advice: Resume the same tenant, run and plan with continuing indexes; anything else is a new run and claims nothing of the old one.
-- when: runs WHERE json_extract_string(attributes, '$.resumed') = 'true' OR json_type(attributes, '$.resumed_from') = 'OBJECT'
WITH resumed AS (
    SELECT run_id, native_id, tenant, attributes, json_extract(attributes, '$.resumed_from') AS origin,
           TRY_CAST(json_extract_string(attributes, '$.checkpoint.event_index') AS BIGINT) AS checkpoint_index
    FROM runs
    WHERE json_extract_string(attributes, '$.resumed') = 'true' OR json_type(attributes, '$.resumed_from') = 'OBJECT'
),
indexes AS (
    SELECT e.run_id, count(*) - count(DISTINCT e.recorded_seq) AS doubled, min(e.recorded_seq) AS first_index, count(*) AS n
    FROM events e WHERE e.recorded_seq IS NOT NULL AND e.run_id IN (SELECT run_id FROM resumed) GROUP BY e.run_id
),
judged AS (
    SELECT r.*, i.doubled, i.first_index, i.n, list_filter([
        CASE WHEN json_extract_string(origin, '$.tenant') <> tenant THEN 'another tenant' END,
        CASE WHEN json_extract_string(origin, '$.run_id') <> native_id THEN 'another run' END,
        CASE WHEN json_extract_string(origin, '$.plan_hash') <> json_extract_string(attributes, '$.plan_hash') THEN 'another plan' END,
        CASE WHEN TRY_CAST(json_extract_string(origin, '$.event_index') AS BIGINT)
                  >= TRY_CAST(json_extract_string(attributes, '$.first_event_index') AS BIGINT) THEN 'event indexes overlap' END,
        CASE WHEN i.doubled > 0 THEN i.doubled || ' event indexes stand twice' END
    ], lambda fault: fault IS NOT NULL) AS faults
    FROM resumed r LEFT JOIN indexes i USING (run_id)
)
SELECT run_id, NULL AS event_id,
       CASE WHEN len(faults) > 0 THEN true WHEN origin IS NULL AND n IS NULL THEN NULL ELSE false END AS violated,
       'resumed with ' || array_to_string(faults, ', ') AS message,
       json_object('faults', faults, 'resumed_from', origin, 'checkpoint_index', checkpoint_index) AS evidence
FROM judged
