-- The runs of a workload, a source and a time, for what is never asked of one run.
chosen AS (
    SELECT
        run_id,
        native_id,
        name,
        coalesce(workload, 'default') AS workload,
        source,
        status,
        contract_class,
        started_at,
        clock
    FROM runs
    WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
)
