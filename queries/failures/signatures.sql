-- Failures by signature, the most frequent first. An error without a signature is in none. `repeats_in_run` counts
-- occurrences after the first in the same run; `collapsed` counts equal full signatures of a run once. Times come from a wall
-- clock only: the event's own, else its run's start. What a reviewer merged is counted under the signature it was merged into.
-- State: regressed, seen again after it was resolved; resolved, by a reviewer or not seen for $resolved_after_s seconds
-- before the newest time in the store; new, seen in one run so far; ongoing, in several. Without a time none is resolved by it.
WITH chosen AS (
    SELECT
        run_id,
        coalesce(workload, 'default') AS workload,
        started_at,
        clock
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
),
decisions AS (
    SELECT
        json_extract_string(body, '$.signature') AS signature,
        json_extract_string(body, '$.action') AS action,
        json_extract_string(body, '$.into') AS merged_into,
        author,
        created_at
    FROM reviews
    WHERE kind = 'signature'
),
merges AS (
    SELECT
        signature,
        arg_max(CASE WHEN action = 'merge' THEN merged_into END, created_at) FILTER (action IN ('merge', 'split')) AS newest,
        arg_max(action, created_at) FILTER (action IN ('merge', 'split')) = 'merge' AS is_merged
    FROM decisions
    GROUP BY signature
),
resolutions AS (
    SELECT
        signature,
        arg_max(action, created_at) = 'resolved' AS is_resolved,
        arg_max(author, created_at) AS author,
        max(created_at) AS decided_at
    FROM decisions
    WHERE action IN ('resolved', 'reopened')
    GROUP BY signature
),
errors AS (
    SELECT
        coalesce(CASE WHEN merges.is_merged THEN merges.newest END, error_events.signature) AS signature,
        error_events.signature AS own_signature,
        coalesce(error_events.signature_partial, false) AS partial,
        coalesce(error_events.error_code, error_events.agent_error_code, error_events.failure_class) AS error_code,
        error_events.type,
        error_events.location,
        error_events.phase,
        error_events.run_id,
        error_events.event_id,
        chosen.workload,
        CASE WHEN chosen.clock = 'wall' THEN coalesce(error_events.occurred_at, chosen.started_at) ELSE chosen.started_at END
            AS seen_at
    FROM error_events
    JOIN chosen ON chosen.run_id = error_events.run_id
    LEFT JOIN merges ON merges.signature = error_events.signature
    WHERE error_events.signature IS NOT NULL
),
spaced AS (
    SELECT
        errors.signature,
        errors.own_signature,
        errors.partial,
        errors.error_code,
        errors.type,
        errors.location,
        errors.phase,
        errors.run_id,
        errors.event_id,
        errors.workload,
        errors.seen_at,
        date_diff(
            'second', lag(errors.seen_at) OVER (PARTITION BY errors.signature ORDER BY errors.seen_at), errors.seen_at
        ) AS quiet_s
    FROM errors
),
grouped AS (
    SELECT
        signature,
        bool_or(partial) AS partial,
        min(error_code) AS error_code,
        min(type) AS type,
        min(location) AS location,
        min(phase) AS phase,
        count(*) AS occurrences,
        count(DISTINCT CASE WHEN partial THEN run_id || chr(31) || event_id ELSE run_id || chr(31) || own_signature END)
            AS collapsed,
        count(DISTINCT run_id) AS runs,
        list_sort(list(DISTINCT workload)) AS workloads,
        min(seen_at) AS first_seen,
        max(seen_at) AS last_seen,
        max(seen_at) FILTER (quiet_s > CAST($resolved_after_s AS BIGINT)) AS returned_at,
        -- By name where the times are equal or missing, so that the order of files decides nothing.
        max(struct_pack(at := coalesce(seen_at, TIMESTAMPTZ '1970-01-01 00:00:00Z'), run_id := run_id, event_id := event_id))
            AS example,
        list_sort(list(DISTINCT own_signature) FILTER (own_signature <> signature)) AS merged
    FROM spaced
    GROUP BY signature
)
SELECT
    grouped.signature,
    grouped.partial,
    grouped.error_code,
    grouped.type,
    grouped.location,
    grouped.phase,
    grouped.occurrences,
    grouped.collapsed,
    grouped.runs,
    grouped.workloads,
    grouped.first_seen,
    grouped.last_seen,
    CASE
        WHEN resolutions.is_resolved AND NOT coalesce(grouped.last_seen > resolutions.decided_at, false) THEN 'resolved'
        WHEN resolutions.is_resolved THEN 'regressed'
        WHEN date_diff('second', grouped.last_seen, newest_wall_time.newest) > CAST($resolved_after_s AS BIGINT) THEN 'resolved'
        WHEN grouped.returned_at IS NOT NULL THEN 'regressed'
        WHEN grouped.runs = 1 THEN 'new'
        ELSE 'ongoing'
    END AS state,
    grouped.occurrences - grouped.runs AS repeats_in_run,
    grouped.example.run_id AS example_run,
    grouped.example.event_id AS example_event,
    coalesce(grouped.merged, []) AS merged,
    CASE WHEN resolutions.is_resolved THEN resolutions.author END AS resolved_by,
    CASE WHEN resolutions.is_resolved THEN resolutions.decided_at END AS resolved_at,
    grouped.returned_at,
    count(*) OVER () AS matching
FROM grouped
CROSS JOIN newest_wall_time
LEFT JOIN resolutions ON resolutions.signature = grouped.signature
WHERE ($state IS NULL OR state = $state)
ORDER BY grouped.occurrences DESC, grouped.signature
LIMIT $limit
