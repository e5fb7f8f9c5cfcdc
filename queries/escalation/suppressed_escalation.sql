-- Signs that escalation is suppressed, by workload, in the windows of escalation_band ($windows, a JSON array): chains that
-- executed by themselves near (under their threshold plus 0.05) or under their own threshold, and what came of it. A later
-- failure is such an attempt whose run ended failed or aborted all the same. Suspected: a rate under the band, an
-- auto-execution near or under its threshold, and a later failure. Runs whose outcome is not known are in no share.
-- portable
WITH windows AS (
    SELECT given.workload, given.state, given.undated, given."from", given.before
    FROM (
        SELECT unnest(from_json(coalesce($windows, '[]'), '[{
            "workload": "VARCHAR", "state": "VARCHAR", "undated": "BOOLEAN", "from": "TIMESTAMPTZ", "before": "TIMESTAMPTZ"}]'
        )) AS given
    ) AS entries
),
attempts AS (
    SELECT
        windows.workload,
        state,
        recovery_attempts.run_id,
        recovery_attempts.confidence,
        recovery_attempts.auto_executed,
        recovery_attempts.outcome,
        auto_threshold,
        runs.status NOT IN ('unknown', 'running') AS is_decided,
        runs.status IN ('failed', 'aborted') AS has_failed
    FROM windows
    JOIN recovery_attempts ON recovery_attempts.workload = windows.workload
    JOIN runs ON runs.run_id = recovery_attempts.run_id
    LEFT JOIN recovery_chain_profiles ON recovery_chain_profiles.chain = recovery_attempts.chain
    WHERE counted_as = 'finished'
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR windows.workload = $workload)
      AND ($source IS NULL OR recovery_attempts.source = $source)
      AND (undated OR (happened_at >= "from" AND happened_at < before))
),
recovered_runs AS (
    SELECT workload, run_id, bool_or(has_failed) AS has_failed
    FROM attempts
    WHERE outcome = 'RECOVERED' AND is_decided
    GROUP BY workload, run_id
),
by_run AS (
    SELECT workload, count(*) AS recovered_runs, count(*) FILTER (has_failed) AS recovered_then_failed
    FROM recovered_runs
    GROUP BY workload
),
counted AS (
    SELECT
        workload,
        min(state) AS state,
        count(*) AS finished,
        count(*) FILTER (auto_executed) AS auto_executed,
        count(auto_executed) AS auto_recorded,
        median(confidence) AS median_confidence,
        count(*) FILTER (auto_executed AND confidence < auto_threshold) AS under_threshold,
        count(*) FILTER (auto_executed AND confidence < round(auto_threshold + 0.05e0, 9)) AS near_or_under,
        count(*) FILTER (auto_executed AND confidence < round(auto_threshold + 0.05e0, 9) AND has_failed) AS later_failures
    FROM attempts
    GROUP BY workload
)
SELECT
    counted.workload,
    state,
    finished,
    auto_executed,
    auto_executed / nullif(auto_recorded, 0) AS auto_share,
    median_confidence,
    under_threshold,
    near_or_under,
    later_failures,
    coalesce(recovered_runs, 0) AS recovered_runs,
    coalesce(recovered_then_failed, 0) AS recovered_then_failed,
    recovered_then_failed / recovered_runs AS failed_after_recovery_share,
    state = 'LOW' AND near_or_under > 0 AND later_failures > 0 AS is_suspected
FROM counted
LEFT JOIN by_run ON by_run.workload = counted.workload
ORDER BY is_suspected DESC NULLS LAST, later_failures DESC, counted.workload
