-- Whether each chain kept its own rules: executed by itself only at or above its threshold, and no more attempts for one
-- failure of a run than it allows. A chain's own threshold wins over the confidence bands. One failure is one full
-- signature in a run, else one error event. Chain C records no limit of attempts: not evaluable (NULL).
-- portable
WITH
-- include _attempts.sql
SELECT
    recovery_chain_profiles.chain,
    recovery_chain_profiles.auto_threshold,
    recovery_chain_profiles.max_attempts,
    count(attempts.run_id) AS attempts,
    count(*) FILTER (auto_executed AND confidence >= auto_threshold) AS auto_kept,
    count(*) FILTER (auto_executed AND confidence < auto_threshold) AS auto_broken,
    count(*) FILTER (auto_executed AND confidence IS NULL) AS auto_not_evaluable,
    count(*) FILTER (NOT auto_executed) AS asked,
    count(*) FILTER (NOT auto_executed AND confidence >= auto_threshold) AS asked_above,
    count(attempts.run_id) FILTER (auto_executed IS NULL) AS auto_not_recorded,
    count(*) FILTER (nth_of_failure = 1) AS failures,
    CASE WHEN max_attempts IS NOT NULL THEN count(*) FILTER (nth_of_failure = max_attempts + 1) END AS failures_over_max,
    count(attempts.run_id) FILTER (failure IS NULL) AS without_failure
FROM recovery_chain_profiles
LEFT JOIN attempts ON attempts.chain = recovery_chain_profiles.chain
GROUP BY recovery_chain_profiles.chain, auto_threshold, max_attempts
ORDER BY recovery_chain_profiles.chain
