-- States at failure with the evidence that still holds, the permitted next action, and the runs in each.
-- portable
WITH chosen AS (
    SELECT
        state_at_failure,
        count(*) AS runs
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
      AND state_at_failure IS NOT NULL
    GROUP BY state_at_failure
)
SELECT
    coalesce(failure_states.state_at_failure, chosen.state_at_failure) AS state_at_failure,
    failure_states.state_at_failure IS NOT NULL AS known,
    failure_states.evidence_that_holds,
    failure_states.permitted_next_action,
    coalesce(chosen.runs, 0) AS runs
FROM failure_states
FULL JOIN chosen ON chosen.state_at_failure = failure_states.state_at_failure
ORDER BY runs DESC, state_at_failure
