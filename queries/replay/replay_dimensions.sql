-- A dimension of a replay, expected (the original) beside observed (the replay), and for agent replays the kind of drift.
-- portable
WITH
-- include ../_chosen.sql
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
