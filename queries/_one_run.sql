-- The run of that run_id, else the runs of that native_id: several where sources share it.
chosen AS (
    SELECT
        run_id,
        clock
    FROM runs
    WHERE run_id = $run
       OR (native_id = $run AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run))
)
