-- Which version of the derivation judged how many runs; another one than the newest may judge by other rules.
-- portable
SELECT
    derived_by AS version,
    count(*) AS runs
FROM runs
GROUP BY derived_by
ORDER BY runs DESC, version
