-- A dimension of a replay, expected (the original) beside observed (the replay), and for agent replays the kind of drift.
-- portable
WITH chosen AS (
    SELECT
        run_id,
        native_id,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        source,
        status,
        started_at
    FROM runs
    WHERE ($run IS NULL OR run_id = $run
           OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run)))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
)
SELECT
    replays.run_id,
    replays.replay_of,
    replays.dimension,
    replays.expected IS NOT DISTINCT FROM replays.observed AS same,
    replays.expected,
    replays.observed,
    CASE WHEN chosen.source <> 'bijux-canon-runtime' AND replays.expected IS DISTINCT FROM replays.observed THEN
        CASE
            WHEN replays.dimension = 'verdict' THEN 'model drift'
            WHEN replays.dimension = 'confidence' THEN 'prompt drift'
            WHEN replays.dimension = 'stop_reason' THEN 'config drift'
            WHEN starts_with(replays.dimension, 'epistemic') THEN 'non-deterministic field'
        END
    END AS drift,
    count(*) OVER () AS matching
FROM replays
JOIN chosen ON chosen.run_id = replays.run_id
WHERE replays.dimension IS NOT NULL
ORDER BY replays.run_id, replays.replay_of, replays.seq, replays.dimension
LIMIT $limit OFFSET $offset
