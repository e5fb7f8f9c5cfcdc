-- A dimension in which replays differ from what they replay, with how many do; by the same reading as `replay_pairs`.
-- portable
WITH
-- include ../_chosen_in_time.sql
,
differing AS (
    SELECT DISTINCT
        replays.run_id,
        replays.replay_of,
        replays.dimension
    FROM replays
    JOIN chosen ON chosen.run_id = replays.run_id
    WHERE replays.dimension IS NOT NULL
      AND replays.expected IS DISTINCT FROM replays.observed
)
SELECT
    dimension,
    count(*) AS replays
FROM differing
GROUP BY dimension
ORDER BY replays DESC, dimension
