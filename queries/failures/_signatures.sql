-- Every signature with its lifecycle. Without a filter each is read as it was told when runs were loaded, except those that a
-- reviewer merged; with one, from the errors that pass it.
-- include ../_chosen_in_time.sql
,
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
-- Both sides of every merge.
merged_ones AS (
    SELECT signature FROM merges WHERE is_merged AND newest IS NOT NULL
    UNION
    SELECT newest AS signature FROM merges WHERE is_merged AND newest IS NOT NULL
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
      AND NOT ($workload IS NULL AND $source IS NULL AND $since IS NULL AND $until IS NULL)
    UNION ALL
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
    JOIN merged_ones ON merged_ones.signature = error_events.signature
    JOIN chosen ON chosen.run_id = error_events.run_id
    LEFT JOIN merges ON merges.signature = error_events.signature
    WHERE $workload IS NULL AND $source IS NULL AND $since IS NULL AND $until IS NULL
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
        epoch_us(errors.seen_at)
            - epoch_us(lag(errors.seen_at) OVER (PARTITION BY errors.signature ORDER BY errors.seen_at)) AS quiet_us
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
        max(seen_at) FILTER (quiet_us > CAST($resolved_after_s AS BIGINT) * 1000000) AS returned_at,
        -- By name where the times are equal or missing, so that the order of files decides nothing.
        max(struct_pack(at := coalesce(seen_at, TIMESTAMPTZ '1970-01-01 00:00:00Z'), run_id := run_id, event_id := event_id))
            AS example,
        list_sort(list(DISTINCT own_signature) FILTER (own_signature <> signature)) AS merged
    FROM spaced
    GROUP BY signature
),
returns AS (
    SELECT
        signature,
        max(returned_at) AS returned_at
    FROM signature_returns
    WHERE quiet_us > CAST($resolved_after_s AS BIGINT) * 1000000
    GROUP BY signature
),
told AS (
    SELECT
        signature_totals.signature,
        partial,
        error_code,
        type,
        location,
        phase,
        occurrences,
        collapsed,
        runs,
        workloads,
        first_seen,
        last_seen,
        returned_at,
        example_run,
        example_event,
        CAST(NULL AS VARCHAR[]) AS merged
    FROM signature_totals
    LEFT JOIN returns ON returns.signature = signature_totals.signature
    WHERE $workload IS NULL AND $source IS NULL AND $since IS NULL AND $until IS NULL
      AND NOT EXISTS (SELECT 1 FROM merged_ones WHERE merged_ones.signature = signature_totals.signature)
    UNION ALL
    SELECT
        signature,
        partial,
        error_code,
        type,
        location,
        phase,
        occurrences,
        collapsed,
        runs,
        workloads,
        first_seen,
        last_seen,
        returned_at,
        example.run_id AS example_run,
        example.event_id AS example_event,
        merged
    FROM grouped
),
judged AS (
    SELECT
        told.signature,
        told.partial,
        told.error_code,
        told.type,
        told.location,
        told.phase,
        told.occurrences,
        told.collapsed,
        told.runs,
        told.workloads,
        told.first_seen,
        told.last_seen,
        CASE
            WHEN resolutions.is_resolved AND NOT coalesce(told.last_seen > resolutions.decided_at, false) THEN 'resolved'
            WHEN resolutions.is_resolved THEN 'regressed'
            WHEN epoch_us(newest_wall_time.newest) - epoch_us(told.last_seen)
                 > CAST($resolved_after_s AS BIGINT) * 1000000 THEN 'resolved'
            WHEN told.returned_at IS NOT NULL THEN 'regressed'
            WHEN told.runs = 1 THEN 'new'
            ELSE 'ongoing'
        END AS state,
        told.occurrences - told.runs AS repeats_in_run,
        told.example_run,
        told.example_event,
        coalesce(told.merged, []) AS merged,
        CASE WHEN resolutions.is_resolved THEN resolutions.author END AS resolved_by,
        CASE WHEN resolutions.is_resolved THEN resolutions.decided_at END AS resolved_at,
        told.returned_at
    FROM told
    CROSS JOIN newest_wall_time
    LEFT JOIN resolutions ON resolutions.signature = told.signature
)
