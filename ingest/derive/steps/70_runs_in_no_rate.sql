-- Runs that are in no recovery rate: a veto is a decision, and a run that somebody interrupted did not get to recover.
DELETE FROM runs_in_no_rate;
INSERT INTO runs_in_no_rate BY NAME
SELECT run_id, CASE WHEN status = 'vetoed' THEN 'vetoed_run' ELSE 'interrupted_run' END AS reason
FROM runs
WHERE status IN ('vetoed', 'interrupted')
   OR stop_reason IN ('user_interruption', 'user_abort')
   OR (status NOT IN ('succeeded', 'escalated')
       AND run_id IN (SELECT run_id FROM error_events WHERE failure_class = 'user_interruption'));

-- What a list of runs shows of each.
UPDATE runs SET last_wall_at = times.newest
FROM (
    SELECT run_id, max(happened_at) AS newest
    FROM (
        SELECT run_id, greatest(started_at, ended_at) AS happened_at FROM runs
        -- arm: error_events
        UNION ALL
        SELECT run_id, occurred_at FROM error_events
        -- end
        -- arm: recovery_events
        UNION ALL
        SELECT run_id, occurred_at FROM recovery_events
        -- end
    ) AS happenings
    GROUP BY run_id
) AS times
WHERE times.run_id = runs.run_id AND runs.clock = 'wall';
UPDATE runs SET findings = coalesce(found.n, 0)
FROM rule_verdicts LEFT JOIN (SELECT run_id, count(*) AS n FROM findings GROUP BY run_id) AS found USING (run_id)
WHERE rule_verdicts.run_id = runs.run_id;
