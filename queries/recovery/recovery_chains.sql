-- Recovery chains A, B and C: attempts, how many finished and how, raw and collapsed, with Wilson 95 % intervals.
-- Collapsed: attempts of one run, chain and full signature are one attempt with the outcome of the last. ABORTED is in
-- every denominator and no numerator. A hand-over is an escalated attempt whose run's next attempt is of another chain.
-- portable
WITH
-- include _attempts.sql
,
counted AS (
    SELECT
        chain,
        count(*) AS attempts,
        count(*) FILTER (counted_as = 'finished') AS finished,
        count(*) FILTER (counted_as = 'unfinished') AS unfinished,
        count(*) FILTER (counted_as = 'other_outcome') AS other_outcome,
        count(*) FILTER (outcome = 'RECOVERED') AS recovered,
        count(*) FILTER (outcome = 'ESCALATED') AS escalated,
        count(*) FILTER (outcome = 'ABORTED') AS aborted,
        avg(confidence) AS avg_confidence,
        count(confidence) AS with_confidence,
        count(*) FILTER (is_last) AS attempts_collapsed,
        count(*) FILTER (is_last AND counted_as = 'finished') AS finished_collapsed,
        count(*) FILTER (is_last AND outcome = 'RECOVERED') AS recovered_collapsed,
        count(*) FILTER (auto_executed) AS auto_executed,
        count(*) FILTER (NOT auto_executed) AS asked,
        count(*) FILTER (outcome = 'ESCALATED' AND next_chain <> chain) AS handed_over
    FROM attempts
    GROUP BY chain
),
listed AS (
    SELECT
        recovery_chain_profiles.chain,
        coalesce(attempts, 0) AS attempts,
        coalesce(finished, 0) AS finished,
        coalesce(unfinished, 0) AS unfinished,
        coalesce(other_outcome, 0) AS other_outcome,
        coalesce(recovered, 0) AS recovered,
        coalesce(escalated, 0) AS escalated,
        coalesce(aborted, 0) AS aborted,
        avg_confidence,
        coalesce(with_confidence, 0) AS with_confidence,
        coalesce(attempts_collapsed, 0) AS attempts_collapsed,
        coalesce(finished_collapsed, 0) AS finished_collapsed,
        coalesce(recovered_collapsed, 0) AS recovered_collapsed,
        coalesce(auto_executed, 0) AS auto_executed,
        coalesce(asked, 0) AS asked,
        coalesce(handed_over, 0) AS handed_over
    FROM recovery_chain_profiles
    LEFT JOIN counted ON counted.chain = recovery_chain_profiles.chain
)
SELECT
    chain,
    attempts,
    finished,
    unfinished,
    other_outcome,
    recovered,
    escalated,
    aborted,
    recovered / nullif(finished, 0) AS success_rate,
    CASE
        WHEN finished = 0 THEN NULL
        WHEN recovered = 0 THEN 0e0
        ELSE (recovered + 1.9207294103470618e0
              - 1.959963984540054e0 * sqrt(recovered * (finished - recovered) / finished + 0.9603647051735309e0))
             / (finished + 3.8414588206941236e0)
    END AS success_low,
    CASE
        WHEN finished = 0 THEN NULL
        WHEN recovered = finished THEN 1e0
        ELSE (recovered + 1.9207294103470618e0
              + 1.959963984540054e0 * sqrt(recovered * (finished - recovered) / finished + 0.9603647051735309e0))
             / (finished + 3.8414588206941236e0)
    END AS success_high,
    avg_confidence,
    with_confidence,
    attempts_collapsed,
    finished_collapsed,
    recovered_collapsed,
    recovered_collapsed / nullif(finished_collapsed, 0) AS success_rate_collapsed,
    CASE
        WHEN finished_collapsed = 0 THEN NULL
        WHEN recovered_collapsed = 0 THEN 0e0
        ELSE (recovered_collapsed + 1.9207294103470618e0
              - 1.959963984540054e0 * sqrt(
                  recovered_collapsed * (finished_collapsed - recovered_collapsed) / finished_collapsed
                  + 0.9603647051735309e0))
             / (finished_collapsed + 3.8414588206941236e0)
    END AS success_low_collapsed,
    CASE
        WHEN finished_collapsed = 0 THEN NULL
        WHEN recovered_collapsed = finished_collapsed THEN 1e0
        ELSE (recovered_collapsed + 1.9207294103470618e0
              + 1.959963984540054e0 * sqrt(
                  recovered_collapsed * (finished_collapsed - recovered_collapsed) / finished_collapsed
                  + 0.9603647051735309e0))
             / (finished_collapsed + 3.8414588206941236e0)
    END AS success_high_collapsed,
    auto_executed,
    asked,
    handed_over
FROM listed
ORDER BY chain
