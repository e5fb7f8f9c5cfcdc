-- Alerts with memory, replayed from the records: one evaluation for each UTC day, of everything before its end; the last one
-- ends where the window of escalation_band ends. An alert enters LOW or HIGH when that is confirmed, or when the rate was on
-- that side at 7 evaluations running; it leaves after two running that are at least 2 points inside both edges (a quarter of
-- the band where it is narrower than 4 points; an edge at 0 or 1 cannot be crossed). INSUFFICIENT_DATA and NO_DATA neither
-- enter nor clear it, and break a row of days. A change of band is an entry, and starts both counts anew. With $daily every
-- evaluation is a row; without it only the changes are. $since cuts what is shown, not what is replayed.
WITH given_bands AS (
    SELECT unnest(
        from_json(coalesce($bands, '[]'), '[{
            "workload": "VARCHAR", "low": "DOUBLE", "high": "DOUBLE", "window_s": "BIGINT", "window_attempts": "BIGINT",
            "min_finished": "BIGINT", "risk_bearing": "BOOLEAN", "since": "TIMESTAMPTZ"}]'),
        recursive := true
    )
),
built_in AS (
    SELECT
        CAST(NULL AS VARCHAR) AS workload, 0.08e0 AS low, 0.30e0 AS high, 604800 AS window_s,
        CAST(NULL AS BIGINT) AS window_attempts, 20 AS min_finished, false AS risk_bearing,
        CAST(NULL AS TIMESTAMPTZ) AS since
),
all_bands AS (
    SELECT workload, low, high, window_s, window_attempts, min_finished, risk_bearing, since
    FROM given_bands
    UNION ALL
    SELECT workload, low, high, window_s, window_attempts, min_finished, risk_bearing, since
    FROM built_in
    WHERE NOT EXISTS (SELECT 1 FROM given_bands WHERE workload IS NULL)
),
window_end AS (
    SELECT
        coalesce($until, newest) AS as_of,
        coalesce($until, newest + INTERVAL 1 MICROSECOND) AS before
    FROM newest_wall_time
),
counted_attempts AS (
    SELECT
        workload,
        run_id,
        seq,
        happened_at,
        CAST(happened_at AS DATE) AS day,
        counted_as = 'finished' AS finished,
        counted_as = 'finished' AND outcome = 'ESCALATED' AS escalated
    FROM recovery_attempts
    CROSS JOIN window_end
    WHERE is_counted
      AND happened_at < before
      AND (basis = 'recorded' OR $derived)
      AND ($workload IS NULL OR workload = $workload)
      AND ($source IS NULL OR source = $source)
),
workloads AS (
    SELECT workload, max(all_bands.workload) AS band_of
    FROM (SELECT DISTINCT workload FROM counted_attempts)
    LEFT JOIN all_bands USING (workload)
    GROUP BY workload
),
periods AS (
    SELECT
        workloads.workload, low, high, window_s, window_attempts, min_finished, risk_bearing, since,
        lead(since) OVER by_time AS until,
        row_number() OVER by_time AS period,
        lag(low) OVER by_time AS earlier_low,
        lag(high) OVER by_time AS earlier_high
    FROM workloads
    JOIN all_bands ON all_bands.workload IS NOT DISTINCT FROM workloads.band_of
    WINDOW by_time AS (PARTITION BY workloads.workload ORDER BY since NULLS FIRST)
),
-- After its last attempt a window changes until it is empty, and a row of seven days can fill; then nothing can happen.
reach AS (
    SELECT workload, CAST(greatest(7, max(ceil(coalesce(window_s, 0) / 86400))) AS INTEGER) + 1 AS days
    FROM periods
    GROUP BY workload
),
days AS (
    SELECT DISTINCT workload, CAST(day + CAST(later AS INTEGER) AS DATE) AS day
    FROM (SELECT workload, day, unnest(generate_series(0, days)) AS later
          FROM (SELECT DISTINCT workload, day FROM counted_attempts) JOIN reach USING (workload))
),
evaluations AS (
    SELECT
        days.workload, days.day, period, low, high, window_s, window_attempts, min_finished, risk_bearing,
        least(CAST(days.day + 1 AS TIMESTAMPTZ), before) AS ends,
        if(CAST(days.day + 1 AS TIMESTAMPTZ) < before, CAST(days.day + 1 AS TIMESTAMPTZ), as_of) AS evaluated_at
    FROM days
    CROSS JOIN window_end
    JOIN periods
        ON periods.workload = days.workload
       AND (since IS NULL OR since < least(CAST(days.day + 1 AS TIMESTAMPTZ), before))
       AND (until IS NULL OR until >= least(CAST(days.day + 1 AS TIMESTAMPTZ), before))
    WHERE CAST(days.day AS TIMESTAMPTZ) < before
),
-- Windows of whole days begin and end at midnight, but for the last one: nothing between two of these moments tells apart
-- the attempts there, so they are counted together. Any other window needs each attempt in its place.
by_whole_days AS (
    SELECT workload
    FROM periods
    GROUP BY workload
    HAVING bool_and(window_attempts IS NULL AND window_s % 86400 = 0)
),
last_windows AS (
    SELECT evaluations.workload, arg_max(ends - to_seconds(window_s), ends) AS last_start
    FROM evaluations
    JOIN by_whole_days ON by_whole_days.workload = evaluations.workload
    GROUP BY evaluations.workload
),
attempts AS (
    SELECT
        counted_attempts.workload, happened_at AS moment, run_id, seq, 1 AS attempts, CAST(finished AS INTEGER) AS finished,
        CAST(escalated AS INTEGER) AS escalated
    FROM counted_attempts
    WHERE workload NOT IN (SELECT workload FROM by_whole_days)
    UNION ALL
    SELECT workload, moment, NULL, NULL, count(*), count(*) FILTER (finished), count(*) FILTER (escalated)
    FROM (
        SELECT
            counted_attempts.workload, counted_attempts.finished, counted_attempts.escalated,
            greatest(CAST(counted_attempts.day AS TIMESTAMPTZ), CASE WHEN happened_at >= last_start THEN last_start END)
                AS moment
        FROM counted_attempts
        JOIN last_windows ON last_windows.workload = counted_attempts.workload
    ) AS placed
    GROUP BY workload, moment
),
-- Running totals at both ends of every window. A mark stands before the attempts of its own moment.
marks AS (
    SELECT
        workload, moment, 1 AS is_attempt, run_id, seq, attempts, finished, escalated, CAST(NULL AS DATE) AS day,
        'attempt' AS mark
    FROM attempts
    UNION ALL
    SELECT workload, ends, 0, NULL, NULL, 0, 0, 0, day, 'end'
    FROM evaluations
    UNION ALL
    SELECT workload, ends - to_seconds(window_s), 0, NULL, NULL, 0, 0, 0, day, 'start'
    FROM evaluations
    WHERE window_s IS NOT NULL
),
totals AS (
    SELECT
        workload,
        day,
        mark,
        CAST(sum(attempts) OVER so_far AS BIGINT) AS attempts,
        CAST(sum(finished) OVER so_far AS BIGINT) AS finished,
        CAST(sum(escalated) OVER so_far AS BIGINT) AS escalated
    FROM marks
    WINDOW so_far AS (PARTITION BY workload ORDER BY moment, is_attempt, run_id, seq ROWS UNBOUNDED PRECEDING)
),
counted AS (
    SELECT
        evaluations.workload,
        evaluations.day,
        through.finished - coalesce(started.finished, passed.finished, 0) AS finished,
        through.escalated - coalesce(started.escalated, passed.escalated, 0) AS escalated
    FROM evaluations
    JOIN totals AS through
        ON through.workload = evaluations.workload AND through.day = evaluations.day AND through.mark = 'end'
    LEFT JOIN totals AS started
        ON started.workload = evaluations.workload AND started.day = evaluations.day AND started.mark = 'start'
    LEFT JOIN totals AS passed
        ON passed.workload = evaluations.workload
       AND passed.mark = 'attempt'
       AND passed.attempts = through.attempts - evaluations.window_attempts
),
rated AS (
    SELECT
        evaluations.workload, evaluations.day, evaluated_at, period, low, high, min_finished, risk_bearing,
        coalesce(finished, 0) AS finished,
        coalesce(escalated, 0) AS escalated,
        escalated / nullif(finished, 0) AS rate,
        CASE
            WHEN finished > 0 AND escalated = 0 THEN 0e0
            WHEN finished > 0 THEN (escalated + 1.9207294103470618e0
                - 1.959963984540054e0 * sqrt(escalated * (finished - escalated) / finished + 0.9603647051735309e0))
                / (finished + 3.8414588206941236e0)
        END AS rate_low,
        CASE
            WHEN finished > 0 AND escalated = finished THEN 1e0
            WHEN finished > 0 THEN (escalated + 1.9207294103470618e0
                + 1.959963984540054e0 * sqrt(escalated * (finished - escalated) / finished + 0.9603647051735309e0))
                / (finished + 3.8414588206941236e0)
        END AS rate_high,
        if(round(high - low, 9) > 0.04e0, 0.02e0, (high - low) / 4) AS margin
    FROM evaluations
    LEFT JOIN counted ON counted.workload = evaluations.workload AND counted.day = evaluations.day
),
judged AS (
    SELECT
        workload, day, evaluated_at, period, low, high, risk_bearing, finished, escalated, rate, rate_low, rate_high,
        CASE
            WHEN finished = 0 THEN 'NO_DATA'
            WHEN finished < min_finished THEN 'INSUFFICIENT_DATA'
            WHEN rate < low THEN 'LOW'
            WHEN rate > high THEN 'HIGH'
            ELSE 'OK'
        END AS state,
        CASE state
            WHEN 'LOW' THEN if(rate_high < low, 'confirmed', 'suspected')
            WHEN 'HIGH' THEN if(rate_low > high, 'confirmed', 'suspected')
            WHEN 'OK' THEN if(rate_low >= low AND rate_high <= high, 'proven', 'unproven')
        END AS evidence,
        state = 'OK' AND (low = 0 OR rate >= round(low + margin, 9)) AND (high = 1 OR rate <= round(high - margin, 9))
            AS is_well_inside
    FROM rated
),
moved AS (
    SELECT
        workload, day, evaluated_at, period, low, high, risk_bearing, finished, escalated, rate, rate_low, rate_high, state, evidence,
        count(*) FILTER (state = 'LOW') OVER week AS days_low,
        count(*) FILTER (state = 'HIGH') OVER week AS days_high,
        count(*) FILTER (is_well_inside) OVER two_days AS days_inside,
        CASE
            WHEN evidence = 'confirmed' THEN state
            WHEN days_low = 7 THEN 'LOW'
            WHEN days_high = 7 THEN 'HIGH'
            WHEN days_inside = 2 THEN 'OK'
        END AS turns_to
    FROM judged
    WINDOW
        week AS (PARTITION BY workload, period ORDER BY day RANGE BETWEEN INTERVAL 6 DAYS PRECEDING AND CURRENT ROW),
        two_days AS (PARTITION BY workload, period ORDER BY day RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW)
),
alerts AS (
    SELECT
        workload, day, evaluated_at, period, low, high, risk_bearing, finished, escalated, rate, rate_low, rate_high, state, evidence,
        coalesce(last_value(turns_to IGNORE NULLS) OVER through_today, 'OK') AS alert
    FROM moved
    WINDOW through_today AS (PARTITION BY workload ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
compared AS (
    SELECT
        workload, day, evaluated_at, period, low, high, risk_bearing, finished, escalated, rate, rate_low, rate_high, state, evidence,
        alert,
        lag(alert, 1, 'OK') OVER by_day AS alert_before,
        -- A band that changed on the first day with records changed too, though no evaluation under the earlier one is left.
        lag(period, 1, 1) OVER by_day AS period_before,
        coalesce(lag(low) OVER by_day, earlier_low) AS low_before,
        coalesce(lag(high) OVER by_day, earlier_high) AS high_before
    FROM alerts
    JOIN periods USING (workload, period, low, high, risk_bearing)
    WINDOW by_day AS (PARTITION BY workload ORDER BY day)
),
entries AS (
    SELECT
        workload, day, evaluated_at, 1 AS place, alert_before AS from_state, alert_before AS to_state, low, high, risk_bearing,
        finished, escalated, rate, rate_low, rate_high, state, evidence,
        CASE
            WHEN low <> low_before OR high <> high_before
            THEN printf('band changed from %.1f–%.1f %% to %.1f–%.1f %%', 100 * low_before, 100 * high_before, 100 * low, 100 * high)
            ELSE printf('band %.1f–%.1f %% keeps its edges; its window, minimum or risk changed', 100 * low, 100 * high)
        END AS reason
    FROM compared
    WHERE period <> period_before
    UNION ALL
    SELECT
        workload, day, evaluated_at, 2 AS place, alert_before, alert, low, high, risk_bearing, finished, escalated, rate, rate_low,
        rate_high, state, evidence,
        CASE
            WHEN alert = alert_before THEN NULL
            WHEN evidence = 'confirmed'
            THEN 'confirmed: the 95 % interval lies ' || if(alert = 'LOW', 'under', 'over') || ' the band'
            WHEN alert = 'OK' THEN 'two daily evaluations running well inside both edges'
            ELSE if(alert = 'LOW', 'under', 'over') || ' the band at 7 daily evaluations running'
        END AS reason
    FROM compared
    WHERE $daily OR alert <> alert_before
)
SELECT
    workload,
    evaluated_at AS "at",
    from_state,
    to_state,
    escalated,
    finished,
    rate,
    rate_low,
    rate_high,
    reason,
    day,
    low AS band_low,
    high AS band_high,
    state,
    evidence,
    CASE
        WHEN to_state = 'LOW' AND risk_bearing THEN if(evidence = 'confirmed', 'critical', 'warning')
        WHEN to_state IN ('LOW', 'HIGH') THEN if(evidence = 'confirmed', 'warning', 'info')
    END AS severity
FROM entries
WHERE $since IS NULL OR evaluated_at >= $since
ORDER BY workload, day, place
