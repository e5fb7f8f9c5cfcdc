-- The escalation rate of each workload in its window against its band: state, how sure it is, how bad, and how many more
-- attempts would settle it. The window ends before $until, else with the newest wall-clock time of the store. The rate is
-- ESCALATED ÷ finished; its interval is Wilson's, 95 %. Edges are in band: k / n and the edge are rounded to a double the
-- same way, so that 2 of 25 is not under 0.08. $bands is a JSON array of bands, one without a workload for all others.
-- portable
WITH given_bands AS (
    SELECT
        band.workload, band.low, band.high, band."window", band.window_s, band.window_attempts, band.min_finished,
        band.risk_bearing, band.reviewed_by, band.reason
    FROM (
        SELECT unnest(from_json(coalesce($bands, '[]'), '[{
            "workload": "VARCHAR", "low": "DOUBLE", "high": "DOUBLE", "window": "VARCHAR", "window_s": "BIGINT",
            "window_attempts": "BIGINT", "min_finished": "BIGINT", "risk_bearing": "BOOLEAN", "reviewed_by": "VARCHAR",
            "reason": "VARCHAR"}]')) AS band
    ) AS entries
),
built_in AS (
    SELECT
        0.08e0 AS low, 0.30e0 AS high, '7d' AS "window", 604800 AS window_s, CAST(NULL AS BIGINT) AS window_attempts,
        20 AS min_finished, false AS risk_bearing, CAST(NULL AS VARCHAR) AS reviewed_by, CAST(NULL AS VARCHAR) AS reason
),
default_band AS (
    SELECT low, high, "window", window_s, window_attempts, min_finished, risk_bearing, reviewed_by, reason
    FROM given_bands WHERE workload IS NULL
    UNION ALL
    SELECT low, high, "window", window_s, window_attempts, min_finished, risk_bearing, reviewed_by, reason
    FROM built_in WHERE NOT EXISTS (SELECT 1 FROM given_bands WHERE workload IS NULL)
),
workloads AS (
    SELECT coalesce(workload, 'default') AS workload, bool_and(started_at IS NULL OR clock = 'none') AS undated
    FROM runs
    WHERE $source IS NULL OR source = $source
    GROUP BY coalesce(workload, 'default')
    UNION ALL
    -- A workload with a band and no run is shown too: that nothing arrives is worth knowing.
    SELECT workload, false AS undated
    FROM given_bands
    WHERE workload IS NOT NULL AND $source IS NULL
      AND workload NOT IN (SELECT coalesce(workload, 'default') FROM runs)
),
settings AS (
    SELECT
        workloads.workload, undated, given_bands.workload IS NOT NULL AS band_is_own,
        if(band_is_own, given_bands.low, default_band.low) AS band_low,
        if(band_is_own, given_bands.high, default_band.high) AS band_high,
        if(band_is_own, given_bands."window", default_band."window") AS window_text,
        if(band_is_own, given_bands.window_s, default_band.window_s) AS window_s,
        if(band_is_own, given_bands.window_attempts, default_band.window_attempts) AS window_attempts,
        if(band_is_own, given_bands.min_finished, default_band.min_finished) AS min_finished,
        if(band_is_own, given_bands.risk_bearing, default_band.risk_bearing) AS risk_bearing,
        if(band_is_own, given_bands.reviewed_by, default_band.reviewed_by) AS reviewed_by,
        if(band_is_own, given_bands.reason, default_band.reason) AS band_reason
    FROM workloads
    CROSS JOIN default_band
    LEFT JOIN given_bands ON given_bands.workload = workloads.workload
    WHERE $workload IS NULL OR workloads.workload = $workload
),
window_end AS (
    SELECT
        coalesce($until, newest) AS as_of,
        coalesce($until, newest + INTERVAL 1 MICROSECOND) AS before
    FROM newest_wall_time
),
attempts AS (
    SELECT
        recovery_attempts.run_id, seq, settings.workload, chain, outcome, full_signature, happened_at, counted_as,
        is_counted, undated, window_s, window_attempts, before,
        lead(chain) OVER (PARTITION BY recovery_attempts.run_id, is_counted ORDER BY seq) AS next_chain
    FROM recovery_attempts
    JOIN settings ON settings.workload = recovery_attempts.workload
    CROSS JOIN window_end
    WHERE (basis = 'recorded' OR $derived)
      AND ($source IS NULL OR source = $source)
      AND (undated
           OR (happened_at < before
               AND ($since IS NULL OR happened_at >= $since)
               AND (window_attempts IS NOT NULL OR happened_at >= before - to_seconds(window_s))))
),
ranked AS (
    SELECT
        run_id, seq, workload, chain, outcome, full_signature, happened_at, counted_as, is_counted, next_chain,
        CASE
            WHEN undated OR window_attempts IS NULL THEN true
            ELSE count(*) FILTER (is_counted) OVER (
                PARTITION BY workload ORDER BY happened_at DESC, run_id DESC, seq DESC ROWS UNBOUNDED PRECEDING
            ) <= window_attempts
        END AS is_in_window
    FROM attempts
),
in_window AS (
    SELECT
        workload, outcome, counted_as, is_counted, happened_at, chain, next_chain,
        is_counted
            AND (full_signature IS NULL OR row_number() OVER (
                PARTITION BY workload, run_id, chain, full_signature, is_counted ORDER BY seq DESC) = 1) AS is_last
    FROM ranked
    WHERE is_in_window
),
counted AS (
    SELECT
        workload,
        count(*) FILTER (counted_as = 'finished') AS finished,
        count(*) FILTER (counted_as = 'finished' AND outcome = 'ESCALATED') AS escalated,
        count(*) FILTER (counted_as = 'finished' AND outcome = 'RECOVERED') AS recovered,
        count(*) FILTER (counted_as = 'finished' AND outcome = 'ABORTED') AS aborted,
        count(*) FILTER (counted_as = 'unfinished') AS unfinished,
        count(*) FILTER (counted_as = 'other_outcome') AS other_outcome,
        count(*) FILTER (counted_as = 'finished' AND outcome = 'ESCALATED' AND next_chain <> chain) AS handed_over,
        count(*) FILTER (NOT is_counted) AS attempts_apart,
        count(*) FILTER (is_last AND counted_as = 'finished') AS finished_collapsed,
        count(*) FILTER (is_last AND counted_as = 'finished' AND outcome = 'ESCALATED') AS escalated_collapsed,
        min(happened_at) AS first_at
    FROM in_window
    GROUP BY workload
),
windows AS (
    SELECT
        settings.workload,
        undated,
        before,
        as_of,
        CASE WHEN window_attempts IS NULL THEN before - to_seconds(window_s) ELSE first_at END AS window_from
    FROM settings
    CROSS JOIN window_end
    LEFT JOIN counted ON counted.workload = settings.workload
),
runs_apart AS (
    SELECT
        windows.workload,
        count(*) FILTER (reason = 'vetoed_run') AS vetoed_runs,
        count(*) FILTER (reason = 'interrupted_run') AS interrupted_runs
    FROM windows
    JOIN runs ON coalesce(runs.workload, 'default') = windows.workload
    JOIN runs_in_no_rate ON runs_in_no_rate.run_id = runs.run_id
    WHERE ($source IS NULL OR source = $source)
      AND (undated OR (started_at >= window_from AND started_at < before))
    GROUP BY windows.workload
),
dated_errors AS (
    SELECT
        coalesce(runs.workload, 'default') AS workload,
        effects.kind,
        if(clock = 'wall', coalesce(occurred_at, started_at), started_at) AS happened_at
    FROM effects
    JOIN runs ON runs.run_id = effects.run_id
    WHERE ($source IS NULL OR source = $source)
),
errors_apart AS (
    SELECT
        windows.workload,
        count(*) FILTER (kind = 'capture failure') AS l0_captures,
        count(*) FILTER (kind = 'unknown outcome') AS unknown_outcomes
    FROM windows
    JOIN dated_errors ON dated_errors.workload = windows.workload
    WHERE undated OR (happened_at >= window_from AND happened_at < before)
    GROUP BY windows.workload
),
undated_attempts AS (
    SELECT workload, count(*) AS undated_attempts
    FROM recovery_attempts
    WHERE happened_at IS NULL AND (basis = 'recorded' OR $derived) AND ($source IS NULL OR source = $source)
    GROUP BY workload
),
rated AS (
    SELECT
        workload,
        finished,
        escalated / finished AS rate,
        if(escalated = 0, 0e0,
           (escalated + 1.9207294103470618e0
            - 1.959963984540054e0 * sqrt(escalated * (finished - escalated) / finished + 0.9603647051735309e0))
           / (finished + 3.8414588206941236e0)) AS rate_low,
        if(escalated = finished, 1e0,
           (escalated + 1.9207294103470618e0
            + 1.959963984540054e0 * sqrt(escalated * (finished - escalated) / finished + 0.9603647051735309e0))
           / (finished + 3.8414588206941236e0)) AS rate_high
    FROM counted
    WHERE finished > 0
),
judged AS (
    SELECT
        rated.workload,
        finished,
        rate,
        rate_low,
        rate_high,
        CASE WHEN rate < band_low THEN 'LOW' WHEN rate > band_high THEN 'HIGH' ELSE 'OK' END AS reads,
        if(finished < min_finished, 'INSUFFICIENT_DATA', reads) AS state,
        CASE state
            WHEN 'LOW' THEN if(rate_high < band_low, 'confirmed', 'suspected')
            WHEN 'HIGH' THEN if(rate_low > band_high, 'confirmed', 'suspected')
            WHEN 'OK' THEN if(rate_low >= band_low AND rate_high <= band_high, 'proven', 'unproven')
        END AS evidence,
        -- The interval round a rate p excludes an edge e exactly from n > z² e (1 - e) / (p - e)² on; never when p is on it.
        -- An edge at 0 or 1 cannot be crossed.
        if(band_low = 0, 0e0, 3.8414588206941236e0 * band_low * (1 - band_low) / nullif((rate - band_low) ** 2, 0))
            AS clear_of_low,
        if(band_high = 1, 0e0, 3.8414588206941236e0 * band_high * (1 - band_high) / nullif((rate - band_high) ** 2, 0))
            AS clear_of_high,
        CASE
            WHEN evidence IN ('confirmed', 'proven') THEN 0
            WHEN state = 'LOW' THEN greatest(1, floor(clear_of_low) + 1 - finished)
            WHEN state = 'HIGH' THEN greatest(1, floor(clear_of_high) + 1 - finished)
            WHEN state = 'OK' AND clear_of_low IS NOT NULL AND clear_of_high IS NOT NULL
            THEN greatest(1, ceil(greatest(clear_of_low, clear_of_high)) - finished)
        END AS further
    FROM rated
    JOIN settings ON settings.workload = rated.workload
),
days AS (
    SELECT unnest(generate_series(0, 6)) AS days_ago
),
-- Too few on each of the last seven daily looks: a workload that carries risk is then blind, and says so.
looked AS (
    SELECT
        judged.workload,
        days_ago,
        min(min_finished) AS min_finished,
        count(*) FILTER (
            happened_at < before - to_days(CAST(days_ago AS INTEGER))
            AND (window_attempts IS NOT NULL
                 OR happened_at >= before - to_days(CAST(days_ago AS INTEGER)) - to_seconds(window_s))
        ) AS finished
    FROM judged
    CROSS JOIN days
    CROSS JOIN window_end
    JOIN settings ON settings.workload = judged.workload
    JOIN recovery_attempts ON recovery_attempts.workload = judged.workload
    WHERE state = 'INSUFFICIENT_DATA'
      AND counted_as = 'finished'
      AND (basis = 'recorded' OR $derived)
      AND ($source IS NULL OR source = $source)
      AND ($since IS NULL OR happened_at >= $since)
    GROUP BY judged.workload, days_ago
),
blind AS (
    SELECT workload, bool_and(finished > 0 AND finished < min_finished) AS is_blind
    FROM looked
    GROUP BY workload
)
SELECT
    settings.workload,
    coalesce(counted.escalated, 0) AS escalated,
    coalesce(counted.finished, 0) AS finished,
    rate,
    escalated_collapsed / nullif(finished_collapsed, 0) AS rate_collapsed,
    rate_low,
    rate_high,
    band_low,
    band_high,
    coalesce(state, 'NO_DATA') AS state,
    evidence,
    CASE
        WHEN state = 'LOW' AND risk_bearing THEN if(evidence = 'confirmed', 'critical', 'warning')
        WHEN state IN ('LOW', 'HIGH') THEN if(evidence = 'confirmed', 'warning', 'info')
        WHEN state = 'INSUFFICIENT_DATA' AND risk_bearing AND is_blind THEN 'warning'
    END AS severity,
    CAST(
        CASE
            WHEN coalesce(counted.finished, 0) < min_finished THEN min_finished - coalesce(counted.finished, 0)
            -- Further away than a store will ever reach is the same as never.
            WHEN further < 1e15 THEN further
        END AS BIGINT
    ) AS needed,
    reads,
    min_finished,
    risk_bearing,
    band_is_own,
    reviewed_by,
    band_reason,
    window_text,
    if(windows.undated, NULL, window_from) AS window_from,
    as_of,
    windows.undated,
    coalesce(is_blind, false) AS is_blind,
    coalesce(recovered, 0) AS recovered,
    coalesce(aborted, 0) AS aborted,
    coalesce(unfinished, 0) AS unfinished,
    coalesce(other_outcome, 0) AS other_outcome,
    coalesce(handed_over, 0) AS handed_over,
    coalesce(escalated_collapsed, 0) AS escalated_collapsed,
    coalesce(finished_collapsed, 0) AS finished_collapsed,
    coalesce(vetoed_runs, 0) AS vetoed_runs,
    coalesce(interrupted_runs, 0) AS interrupted_runs,
    coalesce(l0_captures, 0) AS l0_captures,
    coalesce(unknown_outcomes, 0) AS unknown_outcomes,
    coalesce(attempts_apart, 0) AS attempts_apart,
    if(windows.undated, 0, coalesce(undated_attempts, 0)) AS undated_attempts
FROM settings
JOIN windows ON windows.workload = settings.workload
LEFT JOIN counted ON counted.workload = settings.workload
LEFT JOIN judged ON judged.workload = settings.workload
LEFT JOIN blind ON blind.workload = settings.workload
LEFT JOIN runs_apart ON runs_apart.workload = settings.workload
LEFT JOIN errors_apart ON errors_apart.workload = settings.workload
LEFT JOIN undated_attempts ON undated_attempts.workload = settings.workload
ORDER BY
    CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 WHEN 'info' THEN 2 ELSE 3 END,
    CASE coalesce(judged.state, 'NO_DATA')
        WHEN 'LOW' THEN 0 WHEN 'HIGH' THEN 1 WHEN 'INSUFFICIENT_DATA' THEN 2 WHEN 'OK' THEN 3 ELSE 4
    END,
    settings.workload
