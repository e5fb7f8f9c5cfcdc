-- Retries by verdict and workload, by the same reading as `retry_audit`.
-- portable
WITH chosen AS (
    SELECT
        run_id,
        coalesce(workload, 'default') AS workload
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
-- include _judged.sql
SELECT
    chosen.workload,
    judged.verdict,
    count(*) AS retries,
    count(DISTINCT judged.run_id) AS runs
FROM judged
JOIN chosen ON chosen.run_id = judged.run_id
GROUP BY chosen.workload, judged.verdict
ORDER BY retries DESC, chosen.workload, judged.verdict
