-- How many spans of its line come before a scope, and whether nothing else stands on the line.
CREATE OR REPLACE TEMP TABLE otlp_groups AS
WITH groups AS (
    SELECT line, resource_at, scope_at, any_value(size) AS size, count(*) AS spans, sum(counted) AS counted
    FROM otlp_spans GROUP BY line, resource_at, scope_at
)
SELECT line, resource_at, scope_at,
       CAST(sum(spans) OVER before - spans AS BIGINT) AS before,
       coalesce(any_value(size) OVER line = 19 + sum(counted) OVER line, false) AS line_whole
FROM groups
WINDOW line AS (PARTITION BY line), before AS (PARTITION BY line ORDER BY resource_at, scope_at);
