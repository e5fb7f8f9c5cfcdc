-- Recovery attempts that are in no rate here, and why.
SELECT
    CASE
        WHEN basis <> 'recorded' AND NOT $derived THEN 'derived attempts'
        WHEN happened_at IS NULL AND ($since IS NOT NULL OR $until IS NOT NULL) THEN 'undated attempts'
        WHEN counted_as = 'vetoed_run' THEN 'attempts of vetoed runs'
        WHEN counted_as = 'interrupted_run' THEN 'attempts of interrupted runs'
        WHEN counted_as = 'l0_capture' THEN 'attempts on L0 captures'
        WHEN counted_as = 'unknown_outcome' THEN 'attempts on failures of unknown outcome'
        WHEN counted_as = 'other_outcome' THEN 'attempts whose outcome is outside the list'
        WHEN counted_as = 'unfinished' THEN 'unfinished attempts'
        WHEN chain IS NULL THEN 'attempts with no chain recorded'
        ELSE 'attempts of a chain outside A, B, C'
    END AS reason,
    count(*) AS rows
FROM recovery_attempts
WHERE ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND (happened_at IS NULL OR $since IS NULL OR happened_at >= $since)
  AND (happened_at IS NULL OR $until IS NULL OR happened_at < $until)
  AND ((basis <> 'recorded' AND NOT $derived)
       OR (happened_at IS NULL AND ($since IS NOT NULL OR $until IS NOT NULL))
       OR counted_as <> 'finished'
       OR chain IS NULL
       OR chain NOT IN ('A', 'B', 'C'))
GROUP BY reason
ORDER BY reason
