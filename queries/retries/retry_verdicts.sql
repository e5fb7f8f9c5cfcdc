-- Retries by verdict and workload, by the same reading as `retry_audit`.
-- portable
WITH
-- include ../_chosen_in_time.sql
,
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
