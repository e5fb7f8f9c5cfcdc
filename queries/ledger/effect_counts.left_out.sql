-- What a time filter leaves out because its run has no time.
SELECT
    'records of undated runs' AS reason,
    count(*) AS rows
FROM error_events
JOIN runs ON runs.run_id = error_events.run_id
WHERE started_at IS NULL
  AND ($since IS NOT NULL OR $until IS NOT NULL)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND (error_events.tool_error_class = 'unknown_outcome' OR error_events.level = 'L0')
