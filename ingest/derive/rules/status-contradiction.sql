-- rule: status-contradiction
-- severity: warning
-- statement: Two of the run's own status fields disagree.
-- needs: two status fields: header status and termination reason, or two records of the run
-- advice: Trust neither field alone: the outcome shown here names the signal that decided it.
-- when: runs WHERE json_extract_string(attributes, '$.header_status') IS NOT NULL
-- when: run_records HAVING count(status) > count(DISTINCT run_id) FILTER (status IS NOT NULL)
WITH headers AS (
    SELECT run_id, lower(json_extract_string(attributes, '$.header_status')) AS header_status,
           lower(json_extract_string(attributes, '$.header_termination_reason')) AS ended
    FROM runs WHERE json_extract_string(attributes, '$.header_status') IS NOT NULL
),
records AS (
    SELECT run_id, list_sort(list(DISTINCT status)) AS said, count(*) AS n FROM run_records
    WHERE status IS NOT NULL AND status NOT IN ('running', 'unknown') AND event_id IS DISTINCT FROM 'derived:outcome'
      AND run_id NOT IN (SELECT run_id FROM headers)
    GROUP BY run_id
)
SELECT run_id, NULL AS event_id,
       CASE WHEN ended IS NULL OR header_status = 'running' THEN NULL
            WHEN header_status IN ('aborted', 'failed') THEN ended IN ('completed', 'convergence')
            WHEN header_status = 'completed' THEN ended NOT IN ('completed', 'convergence') END AS violated,
       'header status ' || header_status || ', termination reason ' || ended AS message,
       json_object('status', header_status, 'termination_reason', ended) AS evidence
FROM headers
UNION ALL
SELECT run_id, NULL, len(said) > 1, 'its records say ' || array_to_string(said, ' and '), json_object('statuses', said)
FROM records WHERE n > 1
