-- A run and what it replays: the verdict beside the difference of the events, which the verdict does not look at. The
-- original stays as it is whatever the comparison says. `original_run` is NULL where the original is not in the store.
WITH
-- include ../_chosen.sql
,
pairs AS (
    SELECT
        replays.run_id,
        replays.replay_of,
        any_value(replays.verdict) AS verdict,
        any_value(json_extract_string(replays.attributes, '$.outcome')) AS outcome,
        count(*) FILTER (replays.dimension IS NOT NULL AND replays.expected IS DISTINCT FROM replays.observed) AS differences,
        list_sort(list(DISTINCT replays.dimension) FILTER (
            replays.dimension IS NOT NULL AND replays.expected IS DISTINCT FROM replays.observed
        )) AS dimensions,
        bool_or(replays.dimension = 'events' AND replays.expected IS DISTINCT FROM replays.observed) AS events_differ,
        any_value(json_extract_string(replays.attributes, '$.first_divergence.position')) AS first_position,
        any_value(concat_ws(
            ' ',
            json_extract_string(replays.attributes, '$.first_divergence.expected[0]'),
            'step ' || json_extract_string(replays.attributes, '$.first_divergence.expected[1]'),
            left(json_extract_string(replays.attributes, '$.first_divergence.expected[2]'), 8)
        )) FILTER (json_extract(replays.attributes, '$.first_divergence.expected') IS NOT NULL) AS first_expected,
        any_value(concat_ws(
            ' ',
            json_extract_string(replays.attributes, '$.first_divergence.observed[0]'),
            'step ' || json_extract_string(replays.attributes, '$.first_divergence.observed[1]'),
            left(json_extract_string(replays.attributes, '$.first_divergence.observed[2]'), 8)
        )) FILTER (json_extract(replays.attributes, '$.first_divergence.observed') IS NOT NULL) AS first_observed
    FROM replays
    GROUP BY replays.run_id, replays.replay_of
),
originals AS (
    SELECT
        native_id,
        source,
        min(run_id) AS run_id
    FROM runs
    GROUP BY native_id, source
)
SELECT
    pairs.run_id,
    pairs.replay_of,
    originals.run_id AS original_run,
    pairs.verdict,
    pairs.outcome,
    pairs.differences,
    coalesce(pairs.dimensions, []) AS dimensions,
    coalesce(pairs.events_differ, false) AS events_differ,
    TRY_CAST(pairs.first_position AS BIGINT) AS first_position,
    pairs.first_expected,
    pairs.first_observed,
    chosen.run_name,
    chosen.workload,
    chosen.status,
    count(*) OVER () AS matching
FROM pairs
JOIN chosen ON chosen.run_id = pairs.run_id
LEFT JOIN originals ON originals.native_id = pairs.replay_of AND originals.source = chosen.source
ORDER BY chosen.started_at DESC NULLS LAST, pairs.run_id, pairs.replay_of
LIMIT $limit OFFSET $offset
