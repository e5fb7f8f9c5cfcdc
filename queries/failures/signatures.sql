-- Failures by signature. Ordered by $sort: frequent (the most frequent first), newest, runs. An error without a signature is in none. `repeats_in_run` counts
-- occurrences after the first in the same run; `collapsed` counts equal full signatures of a run once. Times come from a wall
-- clock only: the event's own, else its run's start. What a reviewer merged is counted under the signature it was merged into.
-- State: regressed, seen again after it was resolved; resolved, by a reviewer or not seen for $resolved_after_s seconds
-- before the newest time in the store; new, seen in one run so far; ongoing, in several. Without a time none is resolved by it.
-- portable
WITH
-- include _signatures.sql
SELECT
    signature,
    partial,
    error_code,
    type,
    location,
    phase,
    occurrences,
    collapsed,
    runs,
    workloads,
    first_seen,
    last_seen,
    state,
    repeats_in_run,
    example_run,
    example_event,
    merged,
    resolved_by,
    resolved_at,
    returned_at,
    count(*) OVER () AS matching
FROM judged
WHERE ($state IS NULL OR state = $state)
  AND ($signature IS NULL OR signature = $signature)
  AND ($search IS NULL
       OR contains(lower(concat_ws(' ', error_code, type, location, phase, signature)), lower($search)))
ORDER BY
    CASE WHEN $sort = 'newest' THEN last_seen END DESC NULLS LAST,
    CASE WHEN $sort = 'runs' THEN runs END DESC,
    occurrences DESC,
    signature
LIMIT $limit OFFSET $offset
