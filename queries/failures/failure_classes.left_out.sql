-- Errors that a time filter leaves out because their run has no time.
SELECT 'errors of undated runs' AS reason, count(*) AS rows
FROM error_events
JOIN runs ON runs.run_id = error_events.run_id
WHERE started_at IS NULL
  AND ($since IS NOT NULL OR $until IS NOT NULL)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
UNION ALL
SELECT 'errors without a failure class' AS reason, count(*) AS rows
FROM error_events
JOIN runs ON runs.run_id = error_events.run_id
WHERE ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR started_at >= $since)
      AND ($until IS NULL OR started_at < $until)
  AND error_events.failure_class IS NULL
