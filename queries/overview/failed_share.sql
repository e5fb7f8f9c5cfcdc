-- The share of runs that failed, of those whose outcome is known, with its Wilson 95 % interval (z = 1.959964).
-- Running and unknown runs are in no share. A veto, an escalation, an abort, an interruption and a refusal are known
-- outcomes and no failures. The row without a workload is all workloads together.
-- portable
WITH
-- include ../_chosen_in_time.sql
,
counted AS (
    SELECT
        workload,
        count(*) AS runs,
        count(*) FILTER (status NOT IN ('running', 'unknown')) AS decided,
        count(*) FILTER (status = 'failed') AS failed
    FROM chosen
    GROUP BY GROUPING SETS ((), (workload))
),
shared AS (
    SELECT
        workload,
        runs,
        decided,
        failed,
        runs - decided AS undecided,
        failed / nullif(decided, 0) AS rate,
        1.959964e0 * 1.959964e0 / nullif(decided, 0) AS z2n
    FROM counted
)
SELECT
    workload,
    runs,
    decided,
    failed,
    undecided,
    CAST(rate AS DOUBLE) AS rate,
    greatest(0, (rate + z2n / 2 - sqrt(z2n * (rate * (1 - rate) + z2n / 4))) / (1 + z2n)) AS rate_low,
    least(1, (rate + z2n / 2 + sqrt(z2n * (rate * (1 - rate) + z2n / 4))) / (1 + z2n)) AS rate_high
FROM shared
WHERE runs > 0
ORDER BY workload NULLS FIRST
