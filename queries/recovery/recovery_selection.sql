-- The chain that was used against the one its trigger selects. A trigger selects by what it names: a failed chain A is B's,
-- a breaking change is C's, and one share of failures decides by the table [0, 20) L1 retry, [20, 50) L2 inject,
-- [50, 80] A, (80, 100] B. A trigger that names no such share, a range, or "under" and "over" is not evaluable (NULL).
WITH attempts AS (
    SELECT
        chain,
        trigger,
        lower(trigger) AS said
    FROM recovery_attempts
    WHERE is_counted
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
),
shares AS (
    SELECT
        chain,
        trigger,
        said,
        CASE
            WHEN contains(said, 'fail')
             AND NOT regexp_matches(said, '[<>≤≥~]|\d\s*%?\s*(-|–|to|\.\.)\s*\d')
             AND length(said) - length(replace(said, '%', '')) = 1
            THEN TRY_CAST(regexp_extract(said, '(\d+(?:\.\d+)?)\s*%', 1) AS DOUBLE)
        END AS failure_share
    FROM attempts
),
selected AS (
    SELECT
        chain,
        trigger,
        CASE
            WHEN regexp_matches(said, 'chain[ _-]*a[ _-]+(has[ _-]+)?(fail|escalat)') THEN 'B'
            WHEN regexp_matches(said, 'breaking') THEN 'C'
            WHEN regexp_matches(said, 'fail.*[>≥]\s*80\s*%') THEN 'B'
            WHEN failure_share > 100 THEN NULL
            WHEN failure_share > 80 THEN 'B'
            WHEN failure_share >= 50 THEN 'A'
            WHEN failure_share >= 20 THEN 'L2 inject'
            WHEN failure_share >= 0 THEN 'L1 retry'
        END AS selects
    FROM shares
)
SELECT
    chain,
    selects,
    chain = selects AS agrees,
    count(*) AS attempts,
    min(trigger) AS example
FROM selected
GROUP BY chain, selects
ORDER BY agrees NULLS LAST, attempts DESC, chain, selects
