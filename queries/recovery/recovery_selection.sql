-- The chain that was used against the one its trigger selects. A trigger selects by what it names: a failed chain A is B's,
-- a breaking change is C's, and one share of failures decides by the table [0, 20) L1 retry, [20, 50) L2 inject,
-- [50, 80] A, (80, 100] B. A trigger that names no such share, a range, or "under" and "over" is not evaluable (NULL).
-- portable
SELECT
    chain,
    selects,
    chain = selects AS agrees,
    count(*) AS attempts,
    min(trigger) AS example
FROM recovery_attempts
WHERE is_counted
  AND (basis = 'recorded' OR $derived)
  AND ($workload IS NULL OR workload = $workload)
  AND ($source IS NULL OR source = $source)
  AND ($since IS NULL OR happened_at >= $since)
  AND ($until IS NULL OR happened_at < $until)
GROUP BY chain, selects
ORDER BY agrees NULLS LAST, attempts DESC, chain, selects
