-- A recorded context failure class beside the stage that the sets locate. A class that shows at certain differences agrees
-- with a step located at one of them, and contradicts it where all of its differences could be evaluated and the step is
-- located elsewhere, or nowhere. Where one of them is not evaluable, nothing is said. A class belongs to a step by its
-- event's span, else by its step number, else because the run has no other step; without any it stands without a step.
-- portable
WITH
-- include _steps.sql
,
recorded AS (
    SELECT
        error_events.run_id,
        error_events.event_id,
        'error event' AS record,
        error_events.context_failure_class,
        error_events.span_id,
        error_events.step_index
    FROM error_events
    JOIN chosen ON chosen.run_id = error_events.run_id
    WHERE error_events.context_failure_class IS NOT NULL
    UNION ALL
    SELECT
        diagnoses.run_id,
        diagnoses.diagnosis_id AS event_id,
        'diagnosis' AS record,
        diagnoses.context_failure_class,
        error_events.span_id,
        error_events.step_index
    FROM diagnoses
    JOIN chosen ON chosen.run_id = diagnoses.run_id
    LEFT JOIN error_events ON error_events.run_id = diagnoses.run_id AND error_events.event_id = diagnoses.event_id
    WHERE diagnoses.context_failure_class IS NOT NULL
      -- What the diagnosis repeats of its error event stands there already.
      AND diagnoses.context_failure_class IS DISTINCT FROM error_events.context_failure_class
),
only_steps AS (
    SELECT
        run_id,
        min(step_id) AS step_id
    FROM steps
    GROUP BY run_id
    HAVING count(*) = 1
),
placed AS (
    SELECT
        recorded.run_id,
        recorded.event_id,
        recorded.record,
        recorded.context_failure_class,
        coalesce(by_span.step_id, by_number.step_id, only_steps.step_id) AS step_id
    FROM recorded
    LEFT JOIN steps AS by_span ON by_span.run_id = recorded.run_id AND by_span.step_id = recorded.span_id
    LEFT JOIN steps AS by_number
        ON by_number.run_id = recorded.run_id AND by_number.step_id = CAST(recorded.step_index AS VARCHAR)
    -- What is said of a run with one step that has context sets is said of that step.
    LEFT JOIN only_steps
        ON only_steps.run_id = recorded.run_id AND recorded.span_id IS NULL AND recorded.step_index IS NULL
),
compared AS (
    SELECT
        placed.run_id,
        placed.event_id,
        placed.record,
        placed.context_failure_class,
        context_failure_classes.sign,
        context_failure_classes.fix_place,
        coalesce(context_failure_classes.stages, []) AS class_stages,
        steps.step_id,
        steps.stage_no,
        steps.not_evaluable,
        steps.workload,
        steps.seq
    FROM placed
    LEFT JOIN context_failure_classes
        ON context_failure_classes.context_failure_class = placed.context_failure_class
    LEFT JOIN steps ON steps.run_id = placed.run_id AND steps.step_id = placed.step_id
)
SELECT
    compared.run_id,
    compared.step_id,
    compared.event_id,
    compared.record,
    compared.context_failure_class,
    compared.sign,
    compared.fix_place,
    compared.class_stages,
    compared.stage_no,
    context_stages.stage,
    CASE
        WHEN compared.step_id IS NULL THEN 'no step'
        WHEN array_length(compared.class_stages) = 0 THEN 'no stage'
        WHEN list_contains(compared.class_stages, compared.stage_no) THEN 'agrees'
        WHEN array_length(list_filter(
            compared.not_evaluable,
            lambda k: list_contains(compared.class_stages, k) AND k < coalesce(compared.stage_no, 6)
        )) > 0 THEN 'not evaluable'
        ELSE 'contradicts'
    END AS verdict,
    compared.workload,
    count(*) OVER () AS matching
FROM compared
LEFT JOIN context_stages ON context_stages.stage_no = compared.stage_no
WHERE $step IS NULL OR compared.step_id = $step
ORDER BY verdict = 'contradicts' DESC, compared.run_id, compared.seq NULLS LAST, compared.event_id
LIMIT $limit
