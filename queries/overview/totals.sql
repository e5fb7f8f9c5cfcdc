-- How many runs there are, and what they hold; counted from what each run carries of itself.
-- portable
SELECT
    count(*) AS runs,
    count(DISTINCT workload) AS workloads,
    CAST(coalesce(sum(spans), 0) AS BIGINT) AS spans,
    CAST(coalesce(sum(events), 0) AS BIGINT) AS events,
    CAST(coalesce(sum(errors), 0) AS BIGINT) AS errors,
    CAST(coalesce(sum(recoveries), 0) AS BIGINT) AS recoveries,
    count(*) FILTER (status IS NULL OR status = 'unknown') AS unknown_runs,
    count(*) FILTER (status = 'running') AS running_runs,
    count(*) FILTER (started_at IS NULL) AS undated_runs
FROM runs
WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
ORDER BY runs
