-- What is still open about diagnosed failures, by the same reading as `origins`: in which respect, and how many. A failure may
-- be open in several.
WITH
chosen AS (
    SELECT
        run_id,
        native_id,
        name,
        coalesce(workload, 'default') AS workload,
        source,
        started_at,
        clock
    FROM runs
    WHERE ($run IS NULL OR run_id = $run
           OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run)))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
-- include _reviewed.sql
,
-- include _reviewed_steps.sql
,
-- include _standing.sql
SELECT 'provisional' AS unsettled, count(*) FILTER (is_provisional) AS failures FROM standing
UNION ALL
SELECT 'origin after observation' AS unsettled, count(*) FILTER (is_after) AS failures FROM standing
UNION ALL
SELECT 'trigger as root cause' AS unsettled, count(*) FILTER (trigger_is_cause) AS failures FROM standing
UNION ALL
SELECT 'null prevention' AS unsettled, count(*) FILTER (prevention_null) AS failures FROM standing
ORDER BY unsettled
