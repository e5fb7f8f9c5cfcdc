-- A fact of two runs side by side: how each ended, how long it took where it has a clock, what it counts.
WITH pair AS (
    SELECT
        run_id,
        'a' AS side
    FROM runs
    WHERE run_id = $run_a OR (native_id = $run_a AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run_a))
    UNION ALL
    SELECT
        run_id,
        'b' AS side
    FROM runs
    WHERE run_id = $run_b OR (native_id = $run_b AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run_b))
),
facts AS (
    SELECT
        pair.side,
        unnest([
            {'place': 1, 'name': 'run', 'value': coalesce(runs.name, runs.native_id)},
            {'place': 2, 'name': 'source', 'value': runs.source},
            {'place': 3, 'name': 'workload', 'value': runs.workload},
            {'place': 4, 'name': 'status', 'value': runs.status},
            {'place': 5, 'name': 'decided by', 'value': runs.status_reason},
            {'place': 6, 'name': 'stop reason', 'value': runs.stop_reason},
            {'place': 7, 'name': 'contract class', 'value': runs.contract_class},
            {'place': 8, 'name': 'state at failure', 'value': runs.state_at_failure},
            {'place': 9, 'name': 'duration in s', 'value': CASE WHEN runs.clock = 'wall'
                THEN CAST(round(date_diff('millisecond', runs.started_at, runs.ended_at) / 1000.0, 3) AS VARCHAR) END},
            {'place': 10, 'name': 'steps', 'value': CAST(runs.spans AS VARCHAR)},
            {'place': 11, 'name': 'errors', 'value': CAST(runs.errors AS VARCHAR)},
            {'place': 12, 'name': 'recoveries', 'value': CAST(runs.recoveries AS VARCHAR)},
            {'place': 13, 'name': 'findings', 'value': CASE
                WHEN EXISTS (SELECT 1 FROM rule_verdicts WHERE rule_verdicts.run_id = runs.run_id)
                THEN CAST((SELECT count(*) FROM findings WHERE findings.run_id = runs.run_id) AS VARCHAR) END}
        ]) AS fact
    FROM pair
    JOIN runs ON runs.run_id = pair.run_id
)
SELECT
    fact.name AS fact,
    any_value(fact.value) FILTER (side = 'a') AS value_a,
    any_value(fact.value) FILTER (side = 'b') AS value_b,
    value_a IS NOT DISTINCT FROM value_b AS same
FROM facts
GROUP BY fact.place, fact.name
ORDER BY fact.place
