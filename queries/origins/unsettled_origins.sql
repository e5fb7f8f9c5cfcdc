-- What is still open about diagnosed failures, by the same reading as `origins`: in which respect, and how many. A failure may
-- be open in several.
WITH
-- include ../_chosen.sql
,
-- include _reviewed.sql
,
-- include _reviewed_steps.sql
,
-- include _standing.sql
SELECT 'provisional' AS unsettled, count(*) FILTER (is_provisional) AS failures FROM standing
UNION ALL
SELECT 'origin after observation' AS unsettled, count(*) FILTER (is_after) AS failures FROM standing
UNION ALL
SELECT 'trigger as root cause' AS unsettled, count(*) FILTER (trigger_is_cause) AS failures FROM standing
UNION ALL
SELECT 'null prevention' AS unsettled, count(*) FILTER (prevention_null) AS failures FROM standing
ORDER BY unsettled
