-- A context set that differs between two runs: the items of a step that only one of them had.
WITH pair AS (
    SELECT
        run_id,
        'a' AS side
    FROM runs
    WHERE run_id = $run_a OR (native_id = $run_a AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run_a))
    UNION ALL
    SELECT
        run_id,
        'b' AS side
    FROM runs
    WHERE run_id = $run_b OR (native_id = $run_b AND NOT EXISTS (SELECT 1 FROM runs AS exact WHERE exact.run_id = $run_b))
),
items AS (
    SELECT
        pair.side,
        context_items.step_id,
        context_items.set_name,
        context_items.item_id || coalesce('@' || context_items.revision, '') AS item
    FROM context_items
    JOIN pair ON pair.run_id = context_items.run_id
    WHERE NOT coalesce(context_items.superseded, false)
)
SELECT
    step_id,
    set_name,
    list_sort(list(DISTINCT item) FILTER (side = 'a' AND NOT in_b)) AS only_a,
    list_sort(list(DISTINCT item) FILTER (side = 'b' AND NOT in_a)) AS only_b,
    count(DISTINCT item) FILTER (in_a AND in_b) AS in_both,
    count(*) OVER () AS matching
FROM (
    SELECT
        side,
        step_id,
        set_name,
        item,
        bool_or(side = 'a') OVER (PARTITION BY step_id, set_name, item) AS in_a,
        bool_or(side = 'b') OVER (PARTITION BY step_id, set_name, item) AS in_b
    FROM items
) AS marked
GROUP BY step_id, set_name
ORDER BY step_id, set_name
LIMIT $limit OFFSET $offset
