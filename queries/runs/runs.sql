-- Runs with how they really ended. Ordered by $sort: newest, oldest, longest, most_errors, name; runs without a time
-- stand last. `matching` counts every run that passes the filters, on whichever page of the list it stands.
-- portable
SELECT
    run_id,
    source,
    native_id,
    name,
    workload,
    status,
    status_reason,
    started_at,
    ended_at,
    clock,
    CASE WHEN clock = 'wall' THEN (epoch_us(ended_at) - epoch_us(started_at)) / 1e6 END AS duration_s,
    spans,
    errors,
    recoveries,
    findings,
    count(*) OVER () AS matching
FROM runs
WHERE ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR started_at >= $since)
  AND ($until IS NULL OR started_at < $until)
  AND ($status IS NULL OR status = $status)
  AND ($search IS NULL
       OR contains(lower(concat_ws(' ', run_id, name, workload, status, status_reason, tenant)), lower($search)))
ORDER BY
    CASE WHEN $sort = 'oldest' THEN started_at END ASC NULLS LAST,
    CASE WHEN $sort = 'longest' THEN duration_s END DESC NULLS LAST,
    CASE WHEN $sort = 'most_errors' THEN errors END DESC NULLS LAST,
    CASE WHEN $sort = 'name' THEN lower(coalesce(name, native_id)) END ASC NULLS LAST,
    started_at DESC NULLS LAST,
    run_id
LIMIT $limit OFFSET $offset
