-- Effects that may exist: how many, how many of them nobody checked, and how many were called failed or tried again before
-- the check. By the same reading as `unknown_outcomes`.
-- portable
SELECT
    count(*) AS effects,
    count(*) FILTER (effects.checked_state IS NULL) AS unchecked,
    count(*) FILTER (effects.collapsed) AS collapsed
FROM effects
JOIN runs ON runs.run_id = effects.run_id
WHERE ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR started_at >= $since)
  AND ($until IS NULL OR started_at < $until)
ORDER BY effects
