-- Errors that a time filter leaves out because their run has no time.
SELECT 'errors of undated runs' AS reason, count(*) AS rows
FROM error_events
JOIN runs ON runs.run_id = error_events.run_id
WHERE started_at IS NULL
  AND ($since IS NOT NULL OR $until IS NOT NULL)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
UNION ALL
SELECT 'errors without a signature' AS reason, CAST(coalesce(sum(errors), 0) AS BIGINT) AS rows
FROM error_days
WHERE axis = 'no signature'
  AND coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
  AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR day >= CAST(CAST($since AS TIMESTAMPTZ) AS DATE))
  AND ($until IS NULL OR day < CAST(CAST($until AS TIMESTAMPTZ) AS DATE))
UNION ALL
-- A window that is not of whole days is read from the errors themselves.
SELECT 'errors without a signature' AS reason, count(*) AS rows
FROM error_events
JOIN runs ON runs.run_id = error_events.run_id
WHERE NOT (coalesce(epoch_us(CAST($since AS TIMESTAMPTZ)) % 86400000000 = 0, true)
           AND coalesce(epoch_us(CAST($until AS TIMESTAMPTZ)) % 86400000000 = 0, true))
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR started_at >= $since)
  AND ($until IS NULL OR started_at < $until)
  AND error_events.signature IS NULL
