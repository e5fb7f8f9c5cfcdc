-- The five differences of every step. A difference with a missing side is not evaluable; a set that nobody recorded is never
-- read as empty. Where required items are recorded, 2 to 4 localise over them and what else was lost is background.
-- A set recorded twice is the union of both, since a step may retrieve more than once; of `current`, which is a state,
-- the later record wins for each item. A recorded set stands in for derived ones of its name.
UPDATE context_sets SET superseded = true
FROM (SELECT DISTINCT run_id, step_id, set_name FROM context_sets WHERE basis IS DISTINCT FROM 'derived') r
WHERE r.run_id = context_sets.run_id AND r.step_id = context_sets.step_id AND r.set_name = context_sets.set_name
  AND context_sets.basis = 'derived';
UPDATE context_items SET superseded = true
FROM context_sets s
WHERE s.superseded AND s.run_id = context_items.run_id AND s.event_id = context_items.event_id;
UPDATE context_items SET superseded = true
FROM (
    SELECT i.run_id, i.event_id, i.item_id
    FROM context_items i JOIN context_sets s ON s.run_id = i.run_id AND s.event_id = i.event_id
    WHERE i.set_name = 'current' AND i.superseded IS NULL
    QUALIFY rank() OVER (PARTITION BY i.run_id, i.step_id, i.item_id ORDER BY s.seq DESC NULLS LAST, i.event_id DESC) > 1
) older
WHERE older.run_id = context_items.run_id AND older.event_id = context_items.event_id AND older.item_id = context_items.item_id
  AND context_items.set_name = 'current';

CREATE OR REPLACE TEMP TABLE context_there AS
SELECT s.run_id, s.step_id, min(s.seq) AS seq, min(s.occurred_at) AS occurred_at,
       arg_min(s.agent, s.seq) AS agent, arg_min(s.phase, s.seq) AS phase,
       list_sort(list(DISTINCT set_name)) AS sets,
       list_sort(coalesce(list(DISTINCT set_name) FILTER (basis = 'derived'), [])) AS derived_sets,
       bool_or(set_name = 'required') AS required, bool_or(set_name = 'retrieved') AS retrieved,
       bool_or(set_name = 'eligible') AS eligible, bool_or(set_name = 'composed') AS composed,
       bool_or(set_name = 'consumed') AS consumed, bool_or(set_name = 'current') AS current
FROM context_sets s
WHERE recorded IS NOT FALSE AND superseded IS NULL
  -- A retrieval that was carried to the model call it feeds is no step of its own.
  AND NOT EXISTS (SELECT 1 FROM context_carried c WHERE c.run_id = s.run_id AND c.step_id = s.step_id)
GROUP BY s.run_id, s.step_id;

CREATE OR REPLACE TEMP TABLE context_presence AS
SELECT run_id, step_id, item_id,
       bool_or(set_name = 'required') AS required, bool_or(set_name = 'retrieved') AS retrieved,
       bool_or(set_name = 'eligible') AS eligible, bool_or(set_name = 'composed') AS composed,
       bool_or(set_name = 'consumed') AS consumed, bool_or(set_name = 'current') AS current,
       max(revision) FILTER (set_name = 'required') AS required_rev, max(revision) FILTER (set_name = 'retrieved') AS retrieved_rev,
       max(revision) FILTER (set_name = 'eligible') AS eligible_rev, max(revision) FILTER (set_name = 'composed') AS composed_rev,
       list(DISTINCT coalesce(revision, '')) FILTER (set_name = 'consumed') AS consumed_revs,
       list(DISTINCT coalesce(revision, '')) FILTER (set_name = 'current') AS current_revs,
       max(revision) FILTER (set_name = 'current') AS current_rev
FROM context_items
WHERE superseded IS NULL
GROUP BY run_id, step_id, item_id;

-- 5 compares id and revision where both sides have one, else the id alone.
CREATE OR REPLACE TEMP TABLE context_used AS
SELECT p.run_id, p.step_id, p.item_id, nullif(unnest(p.consumed_revs), '') AS revision, p.current AS is_current,
       p.current_revs, p.current_rev, CASE WHEN t.required THEN p.required END AS required
FROM context_presence p JOIN context_there t USING (run_id, step_id)
WHERE p.consumed AND t.consumed AND t.current;

DELETE FROM context_lost;
INSERT INTO context_lost (run_id, step_id, stage_no, item_id, revision, current_revision, required)
SELECT p.run_id, p.step_id, s.stage_no, p.item_id,
       CASE s.stage_no WHEN 1 THEN p.required_rev WHEN 2 THEN p.retrieved_rev WHEN 3 THEN p.eligible_rev ELSE p.composed_rev END,
       p.current_rev, CASE WHEN t.required THEN p.required END
FROM context_presence p
JOIN context_there t USING (run_id, step_id)
JOIN context_stages s ON CASE s.stage_no
    WHEN 1 THEN t.required AND t.retrieved AND p.required AND NOT p.retrieved
    WHEN 2 THEN t.retrieved AND t.eligible AND p.retrieved AND NOT p.eligible
    WHEN 3 THEN t.eligible AND t.composed AND p.eligible AND NOT p.composed
    WHEN 4 THEN t.composed AND t.consumed AND p.composed AND NOT p.consumed
    ELSE false END
UNION ALL
SELECT run_id, step_id, 5, item_id, revision, current_rev, required FROM context_used
WHERE NOT is_current
   OR (revision IS NOT NULL AND NOT list_contains(current_revs, revision) AND NOT list_contains(current_revs, ''));

DELETE FROM context_steps;
INSERT INTO context_steps BY NAME
WITH counted AS (
    SELECT run_id, step_id,
           count(*) FILTER (stage_no = 1) AS n1, count(*) FILTER (stage_no = 2) AS n2, count(*) FILTER (stage_no = 3) AS n3,
           count(*) FILTER (stage_no = 4) AS n4, count(*) FILTER (stage_no = 5) AS n5,
           count(*) FILTER (stage_no = 2 AND required IS NOT FALSE) AS l2,
           count(*) FILTER (stage_no = 3 AND required IS NOT FALSE) AS l3,
           count(*) FILTER (stage_no = 4 AND required IS NOT FALSE) AS l4,
           count(DISTINCT item_id) FILTER (stage_no IN (2, 3, 4) AND required IS FALSE) AS background
    FROM context_lost GROUP BY run_id, step_id
),
by_id AS (
    SELECT run_id, step_id, count(*) AS n FROM context_used
    WHERE is_current AND (revision IS NULL OR list_contains(current_revs, ''))
    GROUP BY run_id, step_id
),
placed AS (
    SELECT run_id, span_id AS step_id, seq, coalesce(started_at, ended_at) AS occurred_at, agent, phase FROM spans
    UNION ALL
    SELECT run_id, CAST(step_index AS VARCHAR), min(seq), min(coalesce(started_at, ended_at)), arg_min(agent, seq),
           arg_min(phase, seq)
    FROM spans s WHERE step_index IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM spans o WHERE o.run_id = s.run_id AND o.span_id = CAST(s.step_index AS VARCHAR))
    GROUP BY run_id, step_index
),
differences AS (
    SELECT t.run_id, t.step_id, coalesce(t.seq, p.seq) AS seq, coalesce(t.occurred_at, p.occurred_at) AS occurred_at,
           coalesce(t.agent, p.agent) AS agent, coalesce(t.phase, p.phase) AS phase, t.sets, t.derived_sets,
           [t.required AND t.retrieved, t.retrieved AND t.eligible, t.eligible AND t.composed, t.composed AND t.consumed,
            t.consumed AND t.current] AS evaluable,
           [coalesce(n1, 0), coalesce(n2, 0), coalesce(n3, 0), coalesce(n4, 0), coalesce(n5, 0)] AS plain,
           [coalesce(n1, 0), coalesce(l2, 0), coalesce(l3, 0), coalesce(l4, 0), coalesce(n5, 0)] AS localised,
           coalesce(c.background, 0) AS background, coalesce(by_id.n, 0) AS compared_by_id
    FROM context_there t
    LEFT JOIN counted c USING (run_id, step_id)
    LEFT JOIN by_id USING (run_id, step_id)
    LEFT JOIN placed p USING (run_id, step_id)
),
staged AS (
    SELECT *, CASE WHEN localised[1] > 0 THEN 1 WHEN localised[2] > 0 THEN 2 WHEN localised[3] > 0 THEN 3
                   WHEN localised[4] > 0 THEN 4 WHEN localised[5] > 0 THEN 5 END AS stage_no,
           CASE WHEN plain[1] > 0 THEN 1 WHEN plain[2] > 0 THEN 2 WHEN plain[3] > 0 THEN 3
                WHEN plain[4] > 0 THEN 4 WHEN plain[5] > 0 THEN 5 END AS literal_stage_no,
           list_filter([1, 2, 3, 4, 5], lambda k: NOT evaluable[k]) AS not_evaluable
    FROM differences
)
SELECT run_id, step_id, seq, occurred_at, agent, phase, sets, derived_sets, stage_no, literal_stage_no,
       CASE WHEN len(not_evaluable) < 5 THEN coalesce(localised[stage_no], 0) END AS lost,
       CASE WHEN len(not_evaluable) < 5
            THEN CASE WHEN stage_no IS NULL THEN background ELSE plain[stage_no] - localised[stage_no] END END AS lost_background,
       -- Proven: everything above the stage is evaluable, and empty because the stage is the first; none: all five are.
       coalesce(list_min(not_evaluable) > coalesce(stage_no, 5), true) AS proven,
       not_evaluable, compared_by_id
FROM staged;
DROP TABLE context_used;
DROP TABLE context_presence;
DROP TABLE context_there;
