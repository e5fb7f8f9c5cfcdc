-- rule: phase-order
-- severity: error
-- statement: A transition the lifecycle does not allow; before the last phase reached, a phase missing or repeated; anything after ABORTED.
-- needs: phases of the agent lifecycle (the order of other producers has no fixed transitions)
-- advice: Repair what skips or repeats the phase: a verdict without the phases before it rests on nothing.
-- when: runs WHERE json_extract_string(attributes, '$.record') = 'run_trace'
-- when: spans WHERE kind IN ('phase', 'entry')
WITH told AS (
    SELECT run_id, CASE WHEN json_type(attributes, '$.phases') = 'ARRAY'
                        THEN json_extract_string(attributes, '$.phases[*]') END AS phases
    FROM runs WHERE json_extract_string(attributes, '$.record') = 'run_trace'
    UNION ALL
    SELECT run_id, list(upper(phase) ORDER BY seq)
    FROM spans WHERE kind IN ('phase', 'entry') AND run_id NOT IN (
        SELECT run_id FROM runs WHERE json_extract_string(attributes, '$.record') = 'run_trace')
    GROUP BY run_id
),
reached AS (
    SELECT run_id, list_filter(phases, lambda p: p IS NOT NULL) AS phases,
           ['PLAN', 'EXECUTE', 'JUDGE', 'VERIFY', 'FINALIZE'] AS lifecycle
    FROM told
),
cut AS (
    SELECT *, list_filter(phases, lambda p: p NOT IN ('INIT', 'DONE', 'ABORTED')) AS passed,
           list_position(phases, 'ABORTED') AS aborted_at
    FROM reached
),
judged AS (
    SELECT *, len(list_filter(passed, lambda p: NOT list_contains(lifecycle, p))) > 0 AS is_foreign,
           passed = lifecycle[1:len(passed)] AS is_in_order,
           coalesce(aborted_at < len(phases), false) AS goes_on
    FROM cut
)
SELECT run_id, NULL AS event_id,
       CASE WHEN phases IS NULL OR len(phases) = 0 OR is_foreign THEN NULL ELSE NOT is_in_order OR goes_on END AS violated,
       'phases ' || array_to_string(phases, ' → ') || CASE WHEN goes_on THEN ': something follows ABORTED'
           ELSE ': expected ' || array_to_string(lifecycle[1:greatest(len(passed), list_position(lifecycle, passed[-1]))], ' → ') END
           AS message,
       json_object('phases', phases, 'lifecycle', lifecycle) AS evidence
FROM judged
