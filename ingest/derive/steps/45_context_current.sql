-- when: catalogue_items
-- fills: context_sets, context_items
-- `current` from the catalogue, for steps that consumed something and do not say what was current: of the items the step
-- names, the newest revision valid at the step's time. A step without a wall-clock time is left out where one of its items
-- has dated revisions, and so is a step from before the whole catalogue: nobody knows what was current then.
CREATE OR REPLACE TEMP TABLE context_current AS
WITH consuming AS (
    SELECT s.run_id, s.step_id, any_value(coalesce(r.workload, 'default')) AS workload,
           CASE WHEN any_value(r.clock) = 'wall'
                THEN coalesce(max(s.occurred_at), max(spans.ended_at), max(spans.started_at), any_value(r.started_at)) END AS happened
    FROM context_sets s
    JOIN runs r ON r.run_id = s.run_id
    LEFT JOIN spans ON spans.run_id = s.run_id AND spans.span_id = s.step_id
    WHERE EXISTS (SELECT 1 FROM catalogue_items)
    GROUP BY s.run_id, s.step_id
    HAVING bool_or(s.set_name = 'consumed') AND NOT bool_or(s.set_name = 'current')
),
covered AS (
    SELECT run_id, step_id, workload, happened FROM consuming
    WHERE EXISTS (
        SELECT 1 FROM catalogue_items c
        WHERE (c.workload IS NULL OR c.workload = consuming.workload)
          AND (c.valid_from IS NULL OR c.valid_from <= consuming.happened)
    )
),
named AS (
    SELECT DISTINCT covered.*, i.item_id
    FROM covered JOIN context_items i ON i.run_id = covered.run_id AND i.step_id = covered.step_id
),
candidates AS (
    SELECT named.*, c.revision, c.valid_from, c.workload IS NULL AS is_general
    FROM named JOIN catalogue_items c ON c.item_id = named.item_id AND (c.workload IS NULL OR c.workload = named.workload)
)
SELECT covered.run_id, covered.step_id, newest.item_id, newest.revision
FROM covered
LEFT JOIN (
    SELECT DISTINCT run_id, step_id, item_id, revision FROM (
        SELECT * FROM candidates WHERE valid_from IS NULL OR valid_from <= happened
        QUALIFY rank() OVER (PARTITION BY run_id, step_id, item_id ORDER BY is_general, valid_from DESC NULLS LAST) = 1
    )
) newest ON newest.run_id = covered.run_id AND newest.step_id = covered.step_id
WHERE covered.happened IS NOT NULL
   OR NOT EXISTS (
       SELECT 1 FROM candidates c
       WHERE c.run_id = covered.run_id AND c.step_id = covered.step_id AND c.valid_from IS NOT NULL
   );

INSERT INTO context_sets (run_id, event_id, step_id, set_name, recorded, items, basis, rule)
SELECT run_id, 'derived:context:current:' || step_id, step_id, 'current', true, count(item_id), 'derived',
       'catalogue: the newest revision valid at the step''s time, of the items this step names'
FROM context_current GROUP BY run_id, step_id;
INSERT INTO context_items (run_id, event_id, step_id, set_name, item_id, revision)
SELECT run_id, 'derived:context:current:' || step_id, step_id, 'current', item_id, revision
FROM context_current WHERE item_id IS NOT NULL;
DROP TABLE context_current;
