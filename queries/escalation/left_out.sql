-- Recovery attempts that no escalation rate counts, and why. What is outside a workload's window stands in its row.
SELECT
    CASE
        WHEN basis <> 'recorded' AND NOT $derived THEN 'derived attempts'
        WHEN counted_as = 'vetoed_run' THEN 'attempts of vetoed runs'
        WHEN counted_as = 'interrupted_run' THEN 'attempts of interrupted runs'
        WHEN counted_as = 'l0_capture' THEN 'attempts on L0 captures'
        WHEN counted_as = 'unknown_outcome' THEN 'attempts on failures of unknown outcome'
        WHEN counted_as = 'other_outcome' THEN 'attempts whose outcome is outside the list'
        WHEN counted_as = 'unfinished' THEN 'unfinished attempts'
        ELSE 'undated attempts of workloads that have times'
    END AS reason,
    count(*) AS rows
FROM recovery_attempts
WHERE ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND (happened_at IS NULL OR $since IS NULL OR happened_at >= $since)
  AND (happened_at IS NULL OR $until IS NULL OR happened_at < $until)
  AND ((basis <> 'recorded' AND NOT $derived)
       OR counted_as <> 'finished'
       OR (happened_at IS NULL
           AND workload IN (
               SELECT coalesce(workload, 'default') FROM runs WHERE started_at IS NOT NULL AND clock <> 'none')))
GROUP BY reason
ORDER BY reason
