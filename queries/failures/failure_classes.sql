-- Failure classes with their normative profile and how often each occurred; also those that never did. `recoverable`
-- counts errors recorded as recoverable, `category_differs` those whose recorded category is not the profile's.
WITH chosen AS (
    SELECT
        run_id,
        started_at
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
counted AS (
    SELECT
        error_events.failure_class,
        count(*) AS errors,
        count(DISTINCT error_events.run_id) AS runs,
        count(*) FILTER (error_events.recoverable) AS recoverable,
        count(*) FILTER (
            error_events.category IS NOT NULL
            AND replace(error_events.category, '_failure', '') <> failure_profiles.category
        ) AS category_differs
    FROM error_events
    JOIN chosen ON chosen.run_id = error_events.run_id
    LEFT JOIN failure_profiles ON failure_profiles.failure_class = error_events.failure_class
    WHERE error_events.failure_class IS NOT NULL
    GROUP BY error_events.failure_class
)
SELECT
    coalesce(failure_profiles.failure_class, counted.failure_class) AS failure_class,
    failure_profiles.failure_class IS NOT NULL AS known,
    failure_profiles.category,
    failure_profiles.retryable,
    failure_profiles.replayable,
    coalesce(counted.errors, 0) AS errors,
    coalesce(counted.runs, 0) AS runs,
    coalesce(counted.recoverable, 0) AS recoverable,
    coalesce(counted.category_differs, 0) AS category_differs
FROM failure_profiles
FULL JOIN counted ON counted.failure_class = failure_profiles.failure_class
ORDER BY errors DESC, failure_class
