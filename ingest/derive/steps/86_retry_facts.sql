-- `retry_facts`: every failure that was tried again, with its place among the retries of its step and of its run and the retry
-- that caused it: the one whose own event is the failure that is tried again, else the one whose span stands above the failed
-- one. What a budget allows is configuration, and judged by the query.
DELETE FROM retry_facts;
INSERT INTO retry_facts BY NAME
WITH counted AS (
    SELECT
        retries.run_id,
        retries.event_id,
        retries.of_event,
        retries.seq,
        retries.step,
        retries.is_bare,
        retries.is_transient,
        retries.tool_error_class,
        retries.agent_error_code,
        retries.signature,
        error_events.agent,
        error_events.location,
        error_events.span_id,
        error_events.error_code,
        error_events.checked_state,
        error_events.action,
        coalesce(json_extract_string(error_events.attributes, '$.tool'), error_events.location) AS place,
        coalesce(NOT retries.is_bare OR retries.is_transient, false) AS uses_budget,
        count(*) FILTER (coalesce(NOT retries.is_bare OR retries.is_transient, false))
            OVER (PARTITION BY retries.run_id, retries.step ORDER BY retries.seq, retries.of_event) AS used_in_step,
        count(*) FILTER (coalesce(NOT retries.is_bare OR retries.is_transient, false))
            OVER (PARTITION BY retries.run_id ORDER BY retries.seq, retries.of_event) AS used_in_run,
        row_number() OVER (PARTITION BY retries.run_id, retries.step ORDER BY retries.seq, retries.of_event) + 1 AS attempt
    FROM retries
    JOIN error_events ON error_events.run_id = retries.run_id AND error_events.event_id = retries.of_event
),
causes AS (
    SELECT
        counted.run_id,
        counted.of_event,
        max(earlier.event_id) FILTER (earlier.event_id = counted.of_event AND earlier.of_event <> counted.of_event) AS by_event,
        max(above.event_id) AS by_span
    FROM counted
    LEFT JOIN counted AS earlier ON earlier.run_id = counted.run_id AND earlier.event_id = counted.of_event
    LEFT JOIN spans ON spans.run_id = counted.run_id AND spans.span_id = counted.span_id
    LEFT JOIN counted AS above
        ON above.run_id = counted.run_id AND above.span_id = spans.parent_span_id AND above.of_event <> counted.of_event
    GROUP BY counted.run_id, counted.of_event
)
SELECT counted.* EXCLUDE (span_id), coalesce(causes.by_event, causes.by_span) AS caused_by
FROM counted
LEFT JOIN causes ON causes.run_id = counted.run_id AND causes.of_event = counted.of_event;
