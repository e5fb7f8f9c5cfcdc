-- A failure artifact that does not conform to the profile of its class, or that lacks what would show it.
-- portable
SELECT
    error_events.run_id,
    error_events.event_id,
    error_events.failure_class,
    error_events.category,
    failure_profiles.category AS profile_category,
    error_events.recoverable,
    failure_profiles.retryable,
    CASE
        WHEN failure_profiles.failure_class IS NULL THEN 'class outside the list'
        WHEN regexp_replace(lower(error_events.category), '_failure$', '', 'g') <> failure_profiles.category THEN 'other category'
        WHEN error_events.recoverable AND NOT failure_profiles.retryable THEN 'recoverable, not retryable'
        WHEN error_events.category IS NULL OR error_events.recoverable IS NULL THEN 'not evaluable'
        ELSE 'conforms'
    END AS conformity,
    coalesce(runs.name, runs.native_id) AS run_name,
    count(*) OVER () AS matching
FROM error_events
JOIN runs ON runs.run_id = error_events.run_id
LEFT JOIN failure_profiles ON failure_profiles.failure_class = error_events.failure_class
WHERE error_events.failure_class IS NOT NULL
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR started_at >= $since)
  AND ($until IS NULL OR started_at < $until)
ORDER BY
    CASE conformity WHEN 'conforms' THEN 3 WHEN 'not evaluable' THEN 2 ELSE 1 END,
    started_at DESC NULLS LAST,
    error_events.run_id,
    error_events.seq
LIMIT $limit OFFSET $offset
