-- A rate day by day (UTC) with Laney p' limits: for $measure 'success' the share that recovered, for 'escalation' the share
-- that escalated, of the attempts finished that day. The limits are the mean ± 3 standard errors, widened where the days
-- differ more than chance alone would make them (`overdispersion` over 1). Fewer than 8 days, or nothing that varies: none.
-- portable
WITH days AS (
    SELECT
        CAST(happened_at AS DATE) AS day,
        count(*) AS finished,
        count(*) FILTER (outcome = CASE $measure WHEN 'escalation' THEN 'ESCALATED' ELSE 'RECOVERED' END) AS counted
    FROM recovery_attempts
    WHERE counted_as = 'finished'
      AND happened_at IS NOT NULL
      AND (basis = 'recorded' OR $derived)
      AND ($chain IS NULL OR chain = $chain)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
      AND ($until IS NULL OR happened_at < $until)
    GROUP BY CAST(happened_at AS DATE)
),
means AS (
    SELECT
        day,
        finished,
        counted,
        sum(counted) OVER () / sum(finished) OVER () AS mean,
        count(*) OVER () AS days
    FROM days
),
scored AS (
    SELECT
        day,
        finished,
        counted,
        mean,
        days,
        sqrt(mean * (1 - mean) / finished) AS standard_error,
        (counted / finished - mean) / nullif(sqrt(mean * (1 - mean) / finished), 0) AS z
    FROM means
),
moved AS (
    SELECT
        day,
        finished,
        counted,
        mean,
        days,
        standard_error,
        abs(z - lag(z) OVER (ORDER BY day)) AS moved
    FROM scored
),
spread AS (
    SELECT
        day,
        finished,
        counted,
        mean,
        standard_error,
        CASE WHEN days >= 8 THEN avg(moved) OVER () / 1.128e0 END AS overdispersion
    FROM moved
)
SELECT
    day,
    finished,
    counted,
    counted / finished AS rate,
    mean,
    CASE
        WHEN overdispersion IS NOT NULL
        THEN greatest(0e0, mean - 3 * standard_error * greatest(1e0, overdispersion))
    END AS limit_low,
    CASE
        WHEN overdispersion IS NOT NULL
        THEN least(1e0, mean + 3 * standard_error * greatest(1e0, overdispersion))
    END AS limit_high,
    overdispersion,
    CASE
        WHEN overdispersion IS NOT NULL
        THEN counted / finished < mean - 3 * standard_error * greatest(1e0, overdispersion)
             OR counted / finished > mean + 3 * standard_error * greatest(1e0, overdispersion)
    END AS outside
FROM spread
ORDER BY day
