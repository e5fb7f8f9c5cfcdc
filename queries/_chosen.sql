-- The runs that the filters choose; $run is a run_id, else the native_id of runs where no run has that run_id.
chosen AS (
    SELECT
        run_id,
        native_id,
        name,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        source,
        status,
        parent_run_id,
        started_at,
        clock
    FROM runs
    WHERE ($run IS NULL OR run_id = $run
           OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run)))
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
)
