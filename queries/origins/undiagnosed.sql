-- A run that went wrong and has no origin, neither recorded nor reviewed; the newest first, then those with the most errors.
-- `event_id` is its last error, the failure as it was observed; NULL where the run records none.
-- portable
WITH chosen AS (
    SELECT
        run_id,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        status,
        started_at
    FROM runs
    WHERE status IN ('failed', 'aborted', 'escalated')
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
observed AS (
    SELECT
        run_id,
        count(*) AS errors,
        arg_max(event_id, seq) AS event_id,
        arg_max(coalesce(type, error_code, agent_error_code), seq) AS error_type,
        arg_max(phase, seq) AS phase,
        arg_max(agent, seq) AS agent
    FROM error_events
    WHERE run_id IN (SELECT run_id FROM chosen)
    GROUP BY run_id
)
SELECT
    chosen.run_id,
    observed.event_id,
    chosen.run_name,
    chosen.workload,
    chosen.status,
    chosen.started_at,
    coalesce(observed.errors, 0) AS errors,
    observed.error_type,
    observed.phase,
    observed.agent,
    count(*) OVER () AS matching
FROM chosen
LEFT JOIN observed ON observed.run_id = chosen.run_id
WHERE NOT EXISTS (
        SELECT 1 FROM diagnoses
        WHERE diagnoses.run_id = chosen.run_id AND diagnoses.originated_at IS NOT NULL AND diagnoses.basis <> 'derived'
    )
  AND NOT EXISTS (
        SELECT 1 FROM reviews
        WHERE reviews.run_id = chosen.run_id AND reviews.kind = 'diagnosis'
          AND json_extract_string(reviews.body, '$.originated_at') IS NOT NULL
    )
ORDER BY chosen.started_at DESC NULLS LAST, errors DESC, chosen.run_id
LIMIT $limit OFFSET $offset
