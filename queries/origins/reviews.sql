-- Something that a person wrote about a failure, with its author, time and the review it supersedes; the newest first. What
-- the record itself says stands beside it. `superseded` ones are history: kept, and in no figure.
WITH chosen AS (
    SELECT
        run_id,
        native_id,
        coalesce(name, native_id) AS run_name,
        coalesce(workload, 'default') AS workload,
        source,
        started_at
    FROM runs
),
recorded AS (
    SELECT
        run_id,
        coalesce(event_id, diagnosis_id) AS event_id,
        arg_max(observed_at, seq) AS observed_at,
        arg_max(originated_at, seq) AS originated_at,
        arg_max(trigger, seq) AS trigger,
        arg_max(root_cause, seq) AS root_cause
    FROM diagnoses
    WHERE basis <> 'derived'
    GROUP BY run_id, coalesce(event_id, diagnosis_id)
)
SELECT
    reviews.review_id,
    reviews.run_id,
    reviews.event_id,
    reviews.kind,
    json_extract_string(reviews.body, '$.verdict') AS verdict,
    json_extract_string(reviews.body, '$.observed_at') AS observed_at,
    json_extract_string(reviews.body, '$.originated_at') AS originated_at,
    json_extract_string(reviews.body, '$.trigger') AS trigger,
    json_extract_string(reviews.body, '$.root_cause') AS root_cause,
    json_extract_string(reviews.body, '$.context_failure_class') AS context_failure_class,
    json_extract_string(reviews.body, '$.fix_at') AS fix_at,
    json_extract_string(reviews.body, '$.prevention_layer') AS prevention_layer,
    json_extract_string(reviews.body, '$.prevention') AS prevention,
    json_extract_string(reviews.body, '$.null_prevention') = 'true' AS prevention_null,
    json_extract_string(reviews.body, '$.resolved') = 'true' AS resolved,
    json_extract_string(reviews.body, '$.comment') AS comment,
    reviews.author,
    reviews.created_at,
    reviews.supersedes,
    EXISTS (
        SELECT 1 FROM reviews AS later
        WHERE later.run_id = reviews.run_id AND later.kind = reviews.kind
          AND (later.supersedes = reviews.review_id
               OR list_contains(json_extract_string(later.body, '$.settles[*]'), reviews.review_id))
    ) AS superseded,
    recorded.observed_at AS recorded_observed_at,
    recorded.originated_at AS recorded_originated_at,
    recorded.trigger AS recorded_trigger,
    recorded.root_cause AS recorded_root_cause,
    chosen.workload,
    chosen.run_name,
    CAST(reviews.body AS VARCHAR) AS body,
    count(*) OVER () AS matching
FROM reviews
LEFT JOIN chosen ON chosen.run_id = reviews.run_id
LEFT JOIN recorded ON recorded.run_id = reviews.run_id AND recorded.event_id = reviews.event_id
WHERE ($run IS NULL OR reviews.run_id = $run OR chosen.native_id = $run)
  AND ($event IS NULL OR reviews.event_id = $event)
  AND ($workload IS NULL OR chosen.workload = $workload)
  AND ($source IS NULL OR chosen.source = $source)
  AND ($since IS NULL OR reviews.created_at >= $since)
  AND ($until IS NULL OR reviews.created_at < $until)
ORDER BY reviews.created_at DESC, reviews.review_id
LIMIT $limit OFFSET $offset
