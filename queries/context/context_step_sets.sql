-- The six sets of the steps of one run, one row a set, also where it is not recorded (`is_there` false; never an empty one).
-- `items` are written id@revision. Required items that faultlens.toml declares are a derived set.
WITH
-- include _steps.sql
,
names AS (
    SELECT unnest(['required', 'retrieved', 'eligible', 'composed', 'consumed', 'current']) AS set_name,
           unnest([1, 2, 3, 4, 5, 6]) AS place
),
wanted AS (
    SELECT
        steps.run_id,
        steps.step_id,
        steps.seq,
        steps.agent,
        steps.required_basis,
        steps.required_rule,
        steps.sets,
        names.set_name,
        names.place
    FROM steps
    CROSS JOIN names
    WHERE $step IS NULL OR steps.step_id = $step
),
said AS (
    SELECT
        run_id,
        step_id,
        set_name,
        CASE WHEN bool_or(basis IS DISTINCT FROM 'derived') THEN 'recorded' ELSE 'derived' END AS basis,
        min(rule) AS rule,
        count(*) AS records
    FROM context_sets
    WHERE superseded IS NULL
      AND run_id IN (SELECT chosen.run_id FROM chosen)
    GROUP BY run_id, step_id, set_name
),
members AS (
    SELECT DISTINCT
        run_id,
        step_id,
        set_name,
        item_id,
        revision
    FROM context_items
    WHERE superseded IS NULL
      AND run_id IN (SELECT chosen.run_id FROM chosen)
    UNION ALL
    SELECT
        run_id,
        step_id,
        'required' AS set_name,
        item_id,
        CAST(NULL AS VARCHAR) AS revision
    FROM needed
),
listed AS (
    SELECT
        run_id,
        step_id,
        set_name,
        count(*) AS number,
        list(item_id || coalesce('@' || revision, '') ORDER BY item_id, revision) AS items,
        list(item_id ORDER BY item_id, revision) AS ids
    FROM members
    GROUP BY run_id, step_id, set_name
)
SELECT
    wanted.run_id,
    wanted.step_id,
    wanted.set_name,
    list_contains(wanted.sets, wanted.set_name) OR (wanted.set_name = 'required' AND wanted.required_basis IS NOT NULL)
        AS is_there,
    coalesce(said.basis, CASE WHEN wanted.set_name = 'required' THEN wanted.required_basis END) AS basis,
    coalesce(said.rule, CASE WHEN wanted.set_name = 'required' THEN wanted.required_rule END) AS rule,
    coalesce(said.records, 0) AS records,
    CASE WHEN is_there THEN coalesce(listed.number, 0) END AS items,
    CASE WHEN is_there THEN coalesce(listed.items, []) END AS members,
    CASE WHEN is_there THEN coalesce(listed.ids, []) END AS member_ids,
    wanted.seq,
    wanted.agent
FROM wanted
LEFT JOIN said
    ON said.run_id = wanted.run_id AND said.step_id = wanted.step_id AND said.set_name = wanted.set_name
LEFT JOIN listed
    ON listed.run_id = wanted.run_id AND listed.step_id = wanted.step_id AND listed.set_name = wanted.set_name
ORDER BY wanted.run_id, wanted.seq NULLS LAST, wanted.step_id, wanted.place
LIMIT $limit
