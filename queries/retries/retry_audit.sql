-- Every failure that was tried again, with its verdict. The first that holds: after a denial, before the state was checked,
-- wrong class, unchanged, over the budget of its step or of the run, not recorded whether anything changed, legitimate.
-- `caused_by`: the retry whose own failure this one tries again, or that ran above it; NULL where no record says so.
WITH chosen AS (
    SELECT
        run_id,
        native_id,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        source,
        status,
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
budgets AS (
    SELECT
        CAST($per_failure AS BIGINT) AS per_failure,
        CAST($per_run AS BIGINT) AS per_run
),
counted AS (
    SELECT
        retries.run_id,
        retries.event_id,
        retries.of_event,
        retries.seq,
        retries.step,
        retries.is_bare,
        retries.is_transient,
        retries.tool_error_class,
        retries.agent_error_code,
        retries.signature,
        error_events.agent,
        error_events.location,
        error_events.span_id,
        error_events.error_code,
        error_events.checked_state,
        error_events.action,
        coalesce(NOT retries.is_bare OR retries.is_transient, false) AS uses_budget,
        count(*) FILTER (coalesce(NOT retries.is_bare OR retries.is_transient, false))
            OVER (PARTITION BY retries.run_id, retries.step ORDER BY retries.seq, retries.of_event) AS used_in_step,
        count(*) FILTER (coalesce(NOT retries.is_bare OR retries.is_transient, false))
            OVER (PARTITION BY retries.run_id ORDER BY retries.seq, retries.of_event) AS used_in_run,
        row_number() OVER (PARTITION BY retries.run_id, retries.step ORDER BY retries.seq, retries.of_event) + 1 AS attempt
    FROM retries
    JOIN error_events ON error_events.run_id = retries.run_id AND error_events.event_id = retries.of_event
    WHERE retries.run_id IN (SELECT run_id FROM chosen)
),
-- The retry whose own event is the failure that is tried again, else the one whose span stands above the failed one.
causes AS (
    SELECT
        counted.run_id,
        counted.of_event,
        max(earlier.event_id) FILTER (earlier.event_id = counted.of_event AND earlier.of_event <> counted.of_event) AS by_event,
        max(above.event_id) AS by_span
    FROM counted
    LEFT JOIN counted AS earlier ON earlier.run_id = counted.run_id AND earlier.event_id = counted.of_event
    LEFT JOIN spans ON spans.run_id = counted.run_id AND spans.span_id = counted.span_id
    LEFT JOIN counted AS above
        ON above.run_id = counted.run_id AND above.span_id = spans.parent_span_id AND above.of_event <> counted.of_event
    GROUP BY counted.run_id, counted.of_event
)
SELECT
    counted.run_id,
    counted.event_id,
    counted.of_event,
    counted.attempt,
    CASE
        WHEN counted.tool_error_class = 'policy_denial' THEN 'after denial'
        WHEN counted.tool_error_class = 'unknown_outcome' AND counted.checked_state IS NULL THEN 'before the state was checked'
        WHEN counted.agent_error_code IN ('FATAL', 'SECURITY') THEN 'wrong class'
        WHEN counted.is_bare AND NOT counted.is_transient
             AND (counted.tool_error_class IS NOT NULL OR counted.agent_error_code = 'VALIDATION_ERROR') THEN 'wrong class'
        WHEN counted.is_bare AND NOT counted.is_transient THEN 'unchanged'
        WHEN counted.uses_budget AND (counted.used_in_step > budgets.per_failure OR counted.used_in_run > budgets.per_run)
            THEN 'over budget'
        WHEN counted.is_bare IS NULL THEN 'not recorded'
        ELSE 'legitimate'
    END AS verdict,
    counted.step,
    counted.agent,
    counted.location,
    counted.error_code,
    counted.tool_error_class,
    counted.action,
    counted.signature,
    coalesce(causes.by_event, causes.by_span) AS caused_by,
    CAST(counted.used_in_run AS BIGINT) AS budget_used,
    budgets.per_run AS budget_of_run,
    chosen.run_name,
    chosen.workload,
    chosen.started_at,
    count(*) OVER () AS matching
FROM counted
CROSS JOIN budgets
JOIN chosen ON chosen.run_id = counted.run_id
LEFT JOIN causes ON causes.run_id = counted.run_id AND causes.of_event = counted.of_event
ORDER BY chosen.started_at DESC NULLS LAST, counted.run_id, counted.seq, counted.of_event
LIMIT $limit
