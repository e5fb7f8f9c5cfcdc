-- when: context_sets
-- when: context_items
-- The five differences of every step. A difference with a missing side is not evaluable; a set that nobody recorded is never
-- read as empty. Where required items are recorded, 2 to 4 localise over them and what else was lost is background.
-- A set recorded twice is the union of both, since a step may retrieve more than once; of `current`, which is a state,
-- the later record wins for each item. A recorded set stands in for derived ones of its name.
-- Where no step had sets of its own nothing was carried.
CREATE TEMP TABLE IF NOT EXISTS context_carried (run_id VARCHAR, step_id VARCHAR, to_step_id VARCHAR);
UPDATE context_sets SET superseded = true
FROM (
    SELECT DISTINCT run_id, step_id, set_name FROM context_sets
    WHERE basis IS DISTINCT FROM 'derived'
      AND (run_id, step_id) IN (SELECT (run_id, step_id) FROM context_sets WHERE basis = 'derived')
) r
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
      AND (i.run_id, i.step_id) IN (
          SELECT (run_id, step_id) FROM context_sets WHERE set_name = 'current' GROUP BY run_id, step_id HAVING count(*) > 1)
    QUALIFY rank() OVER (PARTITION BY i.run_id, i.step_id, i.item_id ORDER BY s.seq DESC NULLS LAST, i.event_id DESC) > 1
) older
WHERE older.run_id = context_items.run_id AND older.event_id = context_items.event_id AND older.item_id = context_items.item_id
  AND context_items.set_name = 'current';

-- The sets as bits: 1 required, 2 retrieved, 4 eligible, 8 composed, 16 consumed, 32 current.
CREATE OR REPLACE TEMP MACRO set_bit(set_name) AS CASE set_name
    WHEN 'required' THEN 1 WHEN 'retrieved' THEN 2 WHEN 'eligible' THEN 4 WHEN 'composed' THEN 8 WHEN 'consumed' THEN 16
    WHEN 'current' THEN 32 ELSE 0 END;
CREATE OR REPLACE TEMP MACRO has_sets(bits, wanted) AS bits & wanted = wanted;
CREATE OR REPLACE TEMP MACRO set_names(bits) AS list_filter(
    ['composed', 'consumed', 'current', 'eligible', 'required', 'retrieved'], lambda name: bits & set_bit(name) > 0);

CREATE OR REPLACE TEMP TABLE context_there AS
SELECT s.run_id, s.step_id, min(s.seq) AS seq, min(s.occurred_at) AS occurred_at,
       arg_min(s.agent, s.seq) AS agent, arg_min(s.phase, s.seq) AS phase,
       bit_or(set_bit(set_name)) AS there, bit_or(CASE WHEN basis = 'derived' THEN set_bit(set_name) ELSE 0 END) AS derived
FROM context_sets s
WHERE recorded IS NOT FALSE AND superseded IS NULL
  -- A retrieval that was carried to the model call it feeds is no step of its own.
  AND NOT EXISTS (SELECT 1 FROM context_carried c WHERE c.run_id = s.run_id AND c.step_id = s.step_id)
GROUP BY s.run_id, s.step_id;

CREATE OR REPLACE TEMP TABLE context_presence AS
SELECT p.*, t.there,
       has_sets(there, 3) AND has_sets(held, 1) AND NOT has_sets(held, 2) AS lost_1,
       has_sets(there, 6) AND has_sets(held, 2) AND NOT has_sets(held, 4) AS lost_2,
       has_sets(there, 12) AND has_sets(held, 4) AND NOT has_sets(held, 8) AS lost_3,
       has_sets(there, 24) AND has_sets(held, 8) AND NOT has_sets(held, 16) AS lost_4,
       CASE WHEN has_sets(there, 1) THEN has_sets(held, 1) END AS required
FROM (
    SELECT run_id, step_id, item_id, bit_or(set_bit(set_name)) AS held,
           max(revision) FILTER (set_name = 'required') AS required_rev, max(revision) FILTER (set_name = 'retrieved') AS retrieved_rev,
           max(revision) FILTER (set_name = 'eligible') AS eligible_rev, max(revision) FILTER (set_name = 'composed') AS composed_rev,
           min(revision) FILTER (set_name = 'consumed') AS first_consumed, max(revision) FILTER (set_name = 'consumed') AS last_consumed,
           min(revision) FILTER (set_name = 'current') AS first_current, max(revision) FILTER (set_name = 'current') AS current_rev,
           bool_or(coalesce(revision, '') = '') FILTER (set_name IN ('consumed', 'current')) AS is_without
    FROM context_items
    WHERE superseded IS NULL
    GROUP BY run_id, step_id, item_id
) p JOIN context_there t USING (run_id, step_id);

-- 5 compares id and revision where both sides have one, else the id alone. One revision that is the current one is not lost;
-- only of the other items every revision is looked at.
CREATE OR REPLACE TEMP TABLE context_used AS
WITH looked_at AS (
    SELECT run_id, step_id, item_id, required, current_rev, has_sets(held, 32) AS is_current
    FROM context_presence
    WHERE has_sets(there, 48) AND has_sets(held, 16)
      AND NOT (has_sets(held, 32) AND NOT is_without AND first_consumed = last_consumed AND first_current = current_rev
               AND first_consumed = current_rev)
),
revisions AS (
    SELECT i.run_id, i.step_id, i.item_id,
           list(DISTINCT coalesce(revision, '')) FILTER (set_name = 'consumed') AS consumed_revs,
           list(DISTINCT coalesce(revision, '')) FILTER (set_name = 'current') AS current_revs
    FROM context_items i SEMI JOIN looked_at USING (run_id, step_id, item_id)
    WHERE superseded IS NULL AND set_name IN ('consumed', 'current')
    GROUP BY i.run_id, i.step_id, i.item_id
)
SELECT run_id, step_id, item_id, nullif(unnest(consumed_revs), '') AS revision, is_current, current_revs, current_rev, required
FROM looked_at JOIN revisions USING (run_id, step_id, item_id);
CREATE OR REPLACE TEMP TABLE context_stale AS
SELECT run_id, step_id, item_id, revision, current_rev, required FROM context_used
WHERE NOT is_current
   OR (revision IS NOT NULL AND NOT list_contains(current_revs, revision) AND NOT list_contains(current_revs, ''));

DELETE FROM context_lost;
INSERT INTO context_lost (run_id, step_id, stage_no, item_id, revision, current_revision, required)
SELECT run_id, step_id, 1, item_id, required_rev, current_rev, required FROM context_presence WHERE lost_1
UNION ALL
SELECT run_id, step_id, 2, item_id, retrieved_rev, current_rev, required FROM context_presence WHERE lost_2
UNION ALL
SELECT run_id, step_id, 3, item_id, eligible_rev, current_rev, required FROM context_presence WHERE lost_3
UNION ALL
SELECT run_id, step_id, 4, item_id, composed_rev, current_rev, required FROM context_presence WHERE lost_4
UNION ALL
SELECT run_id, step_id, 5, item_id, revision, current_rev, required FROM context_stale;

DELETE FROM context_steps;
INSERT INTO context_steps BY NAME
WITH counted AS (
    SELECT run_id, step_id,
           count(*) FILTER (lost_1) AS n1, count(*) FILTER (lost_2) AS n2, count(*) FILTER (lost_3) AS n3,
           count(*) FILTER (lost_4) AS n4,
           count(*) FILTER (lost_2 AND required IS NOT FALSE) AS l2,
           count(*) FILTER (lost_3 AND required IS NOT FALSE) AS l3,
           count(*) FILTER (lost_4 AND required IS NOT FALSE) AS l4,
           count(*) FILTER ((lost_2 OR lost_3 OR lost_4) AND required IS FALSE) AS background
    FROM context_presence GROUP BY run_id, step_id
),
stale AS (SELECT run_id, step_id, count(*) AS n5 FROM context_stale GROUP BY run_id, step_id),
by_id AS (
    SELECT run_id, step_id, count(*) AS n FROM context_used
    WHERE is_current AND (revision IS NULL OR list_contains(current_revs, ''))
    GROUP BY run_id, step_id
),
placed AS (
    SELECT run_id, span_id AS step_id, seq, coalesce(started_at, ended_at) AS occurred_at, agent, phase
    FROM spans SEMI JOIN context_there t ON t.run_id = spans.run_id AND t.step_id = spans.span_id
    UNION ALL
    SELECT s.run_id, CAST(step_index AS VARCHAR), min(s.seq), min(coalesce(started_at, ended_at)), arg_min(s.agent, s.seq),
           arg_min(s.phase, s.seq)
    FROM spans s SEMI JOIN context_there t ON t.run_id = s.run_id AND t.step_id = CAST(s.step_index AS VARCHAR)
    WHERE NOT EXISTS (SELECT 1 FROM spans o WHERE o.run_id = s.run_id AND o.span_id = CAST(s.step_index AS VARCHAR))
    GROUP BY s.run_id, step_index
),
differences AS (
    SELECT t.run_id, t.step_id, coalesce(t.seq, p.seq) AS seq, coalesce(t.occurred_at, p.occurred_at) AS occurred_at,
           coalesce(t.agent, p.agent) AS agent, coalesce(t.phase, p.phase) AS phase,
           set_names(there) AS sets, set_names(derived) AS derived_sets,
           [has_sets(there, 3), has_sets(there, 6), has_sets(there, 12), has_sets(there, 24), has_sets(there, 48)] AS evaluable,
           [coalesce(n1, 0), coalesce(n2, 0), coalesce(n3, 0), coalesce(n4, 0), coalesce(n5, 0)] AS plain,
           [coalesce(n1, 0), coalesce(l2, 0), coalesce(l3, 0), coalesce(l4, 0), coalesce(n5, 0)] AS localised,
           coalesce(c.background, 0) AS background, coalesce(by_id.n, 0) AS compared_by_id
    FROM context_there t
    LEFT JOIN counted c USING (run_id, step_id)
    LEFT JOIN stale USING (run_id, step_id)
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
DROP TABLE context_stale;
DROP TABLE context_presence;
DROP TABLE context_there;
