-- How good the confidences are, over all attempts (chain NULL) and by chain. Brier is the mean of (confidence - recovered)²:
-- 0 is perfect, 0.25 is what "50 %" every time gets. `brier_of_base_rate` is what saying the success rate each time would
-- get: a Brier over it means that the confidence tells less than the average does. `gap` over 0 is too sure.
-- portable
WITH attempts AS (
    SELECT
        chain,
        confidence,
        CASE WHEN outcome = 'RECOVERED' THEN 1e0 ELSE 0e0 END AS recovered
    FROM recovery_attempts
    WHERE counted_as = 'finished'
      AND confidence IS NOT NULL
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
)
SELECT
    CASE WHEN grouping(chain) = 0 THEN coalesce(chain, 'not recorded') END AS chain,
    count(*) AS attempts,
    avg(confidence) AS avg_confidence,
    avg(recovered) AS success_rate,
    avg(confidence) - avg(recovered) AS gap,
    avg((confidence - recovered) * (confidence - recovered)) AS brier,
    avg(recovered) * (1 - avg(recovered)) AS brier_of_base_rate
FROM attempts
GROUP BY GROUPING SETS ((), (chain))
HAVING count(*) > 0
ORDER BY chain NULLS FIRST
