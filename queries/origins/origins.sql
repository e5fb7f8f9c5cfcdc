-- An event with a diagnosis: what a reviewer said stands before what the record says, that before what was derived, and the
-- recorded values stand beside it. Phases are read from the beginning of the texts ("VERIFY / step 3"; an event that is only
-- observed by its phase column counts by that); `distance` is index(observed) - index(originated) in the one lifecycle that
-- has both, NULL where there is none, and negative where an origin comes after its observation. `step_distance` and
-- `delay_s` need both places on the run's timeline. A fix at the observation point is provisional and stays open.
WITH
-- include ../_chosen.sql
,
-- include _reviewed.sql
,
-- include _reviewed_steps.sql
,
-- include _standing.sql
,
-- Counted apart: a window over everything that passes would keep all of its texts in hand.
counted AS (
    SELECT count(*) AS matching
    FROM standing
    WHERE ($unsettled IS NULL
         OR ($unsettled = 'provisional' AND is_provisional)
         OR ($unsettled = 'origin after observation' AND is_after)
         OR ($unsettled = 'trigger as root cause' AND trigger_is_cause)
         OR ($unsettled = 'null prevention' AND prevention_null))
),
diagnosed AS (
    SELECT
        run_id,
        event_id,
        observed_at,
        originated_at,
        observed_phase,
        originated_phase,
        distance,
        basis,
        fix_at,
        lifecycle,
        step_distance,
        delay_s,
        trigger,
        root_cause,
        trigger_is_cause,
        context_failure_class,
        prevention_layer,
        prevention,
        prevention_null,
        durable,
        status,
        rule,
        author,
        false AS resolved,
        recorded_at AS diagnosed_at,
        CAST(NULL AS VARCHAR) AS review_id,
        0 AS standing_reviews,
        observed_at AS recorded_observed_at,
        originated_at AS recorded_originated_at,
        trigger AS recorded_trigger,
        root_cause AS recorded_root_cause,
        fix_at AS recorded_fix_at,
        prevention AS recorded_prevention,
        basis AS recorded_basis,
        error_seq,
        error_type,
        agent,
        origin_agent
    FROM origin_facts
    WHERE NOT EXISTS (
        SELECT 1 FROM reviewed WHERE reviewed.run_id = origin_facts.run_id AND reviewed.event_key = origin_facts.event_id
    )
    UNION ALL
    SELECT
        run_id,
        event_id,
        observed_at,
        originated_at,
        observed_phase,
        originated_phase,
        distance,
        basis,
        fix_at,
        lifecycle,
        step_distance,
        delay_s,
        trigger,
        root_cause,
        trigger_is_cause,
        context_failure_class,
        prevention_layer,
        prevention,
        prevention_null,
        durable,
        status,
        rule,
        author,
        resolved,
        diagnosed_at,
        review_id,
        standing_reviews,
        recorded_observed_at,
        recorded_originated_at,
        recorded_trigger,
        recorded_root_cause,
        recorded_fix_at,
        recorded_prevention,
        recorded_basis,
        error_seq,
        error_type,
        agent,
        origin_agent
    FROM reviewed_origins
)
SELECT
    diagnosed.run_id,
    diagnosed.event_id,
    diagnosed.observed_at,
    diagnosed.originated_at,
    diagnosed.observed_phase,
    diagnosed.originated_phase,
    diagnosed.distance,
    diagnosed.basis,
    diagnosed.fix_at,
    coalesce(diagnosed.fix_at = 'observation', false) AS provisional,
    CASE WHEN diagnosed.distance < 0 THEN 'origin after its observation'
         WHEN diagnosed.distance = 0 THEN 'in the same phase'
         WHEN diagnosed.distance > 0 THEN 'origin before its observation'
         WHEN diagnosed.step_distance < 0 THEN 'origin after its observation'
         WHEN diagnosed.step_distance = 0 THEN 'in the same step'
         WHEN diagnosed.step_distance > 0 THEN 'origin before its observation' END AS direction,
    diagnosed.lifecycle,
    diagnosed.step_distance,
    diagnosed.delay_s,
    diagnosed.trigger,
    diagnosed.root_cause,
    diagnosed.trigger_is_cause,
    diagnosed.context_failure_class,
    diagnosed.prevention_layer,
    diagnosed.prevention,
    diagnosed.prevention_null,
    diagnosed.durable,
    diagnosed.status,
    diagnosed.resolved,
    diagnosed.rule,
    diagnosed.author,
    diagnosed.diagnosed_at,
    diagnosed.review_id,
    diagnosed.standing_reviews,
    diagnosed.recorded_observed_at,
    diagnosed.recorded_originated_at,
    diagnosed.recorded_trigger,
    diagnosed.recorded_root_cause,
    diagnosed.recorded_fix_at,
    diagnosed.recorded_prevention,
    diagnosed.recorded_basis,
    chosen.workload,
    coalesce(chosen.name, chosen.native_id) AS run_name,
    chosen.started_at,
    diagnosed.error_type,
    diagnosed.agent,
    diagnosed.origin_agent,
    counted.matching
FROM diagnosed
JOIN chosen ON chosen.run_id = diagnosed.run_id
CROSS JOIN counted
WHERE ($unsettled IS NULL
     OR ($unsettled = 'provisional' AND diagnosed.fix_at = 'observation')
     OR ($unsettled = 'origin after observation' AND coalesce(diagnosed.distance, diagnosed.step_distance) < 0)
     OR ($unsettled = 'trigger as root cause' AND diagnosed.trigger_is_cause)
     OR ($unsettled = 'null prevention' AND diagnosed.prevention_null))
ORDER BY chosen.started_at DESC NULLS LAST, diagnosed.run_id, diagnosed.error_seq NULLS LAST, diagnosed.event_id
LIMIT $limit OFFSET $offset
