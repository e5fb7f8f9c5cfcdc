-- Failure classes with their normative profile and how often each occurred; also those that never did. `recoverable`
-- counts errors recorded as recoverable, `category_differs` those whose recorded category is not the profile's.
-- Whole days are read from the sums by day, any other window from the errors themselves.
-- portable
WITH chosen AS (
    SELECT run_id
    FROM runs
    WHERE NOT (coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
               AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
parts AS (
    SELECT
        value AS failure_class,
        errors,
        runs,
        marked AS recoverable,
        differing AS category_differs
    FROM error_days
    WHERE axis = 'failure class'
      AND coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR day >= CAST(CAST($since AS TIMESTAMPTZ) AS DATE))
      AND ($until IS NULL OR day < CAST(CAST($until AS TIMESTAMPTZ) AS DATE))
    UNION ALL
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
),
counted AS (
    SELECT
        failure_class,
        CAST(sum(errors) AS BIGINT) AS errors,
        CAST(sum(runs) AS BIGINT) AS runs,
        CAST(sum(recoverable) AS BIGINT) AS recoverable,
        CAST(sum(category_differs) AS BIGINT) AS category_differs
    FROM parts
    GROUP BY failure_class
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
