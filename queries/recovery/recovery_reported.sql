-- What producers report of themselves (recovery_metrics) beside what follows from the records of the same run. The escalation
-- rate is over all chains of the run. `differs` allows for rounding to a whole percent; NULL where nothing can be compared.
-- portable
WITH reported AS (
    SELECT
        reported_metrics.run_id,
        runs.workload,
        reported_metrics.seq,
        reported_metrics.chain,
        reported_metrics.attempts AS reported_attempts,
        reported_metrics.success_rate AS reported_success_rate,
        reported_metrics.avg_confidence AS reported_avg_confidence,
        reported_metrics.escalation_rate AS reported_escalation_rate
    FROM reported_metrics
    JOIN runs ON runs.run_id = reported_metrics.run_id
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
recomputed AS (
    SELECT
        run_id,
        chain,
        grouping(chain) = 1 AS all_chains,
        count(*) AS attempts,
        count(*) FILTER (outcome = 'RECOVERED') / nullif(count(*) FILTER (counted_as = 'finished'), 0) AS success_rate,
        avg(confidence) AS avg_confidence,
        count(*) FILTER (outcome = 'ESCALATED') / nullif(count(*) FILTER (counted_as = 'finished'), 0) AS escalation_rate
    FROM recovery_attempts
    WHERE is_counted
      AND run_id IN (SELECT run_id FROM reported)
      AND (basis = 'recorded' OR $derived)
    GROUP BY GROUPING SETS ((run_id), (run_id, chain))
)
SELECT
    reported.run_id,
    reported.workload,
    reported.chain,
    reported.reported_attempts,
    coalesce(of_chain.attempts, 0) AS attempts,
    reported.reported_success_rate,
    of_chain.success_rate,
    reported.reported_avg_confidence,
    of_chain.avg_confidence,
    reported.reported_escalation_rate,
    of_run.escalation_rate,
    coalesce(
        greatest(
            CASE WHEN reported.reported_attempts <> coalesce(of_chain.attempts, 0) THEN 1 END,
            abs(reported.reported_success_rate - of_chain.success_rate),
            abs(reported.reported_avg_confidence - of_chain.avg_confidence),
            abs(reported.reported_escalation_rate - of_run.escalation_rate)
        ) > 0.0051e0,
        CASE WHEN reported.reported_attempts = coalesce(of_chain.attempts, 0) THEN false END
    ) AS differs,
    count(*) OVER () AS matching
FROM reported
LEFT JOIN recomputed AS of_chain
    ON of_chain.run_id = reported.run_id
   AND of_chain.all_chains = (reported.chain IS NULL)
   AND of_chain.chain IS NOT DISTINCT FROM reported.chain
LEFT JOIN recomputed AS of_run ON of_run.run_id = reported.run_id AND of_run.all_chains
ORDER BY differs DESC NULLS LAST, reported.run_id, reported.seq, reported.chain
LIMIT $limit OFFSET $offset
