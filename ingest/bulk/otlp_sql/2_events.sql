-- What the events are, and of every span with events whether all of them are certain.
CREATE OR REPLACE TEMP TABLE otlp_said_events AS
WITH found AS (
    SELECT events.* EXCLUDE (keys), shapes.*, said[content_at] AS content, said[raised_type_at] AS raised_type,
           said[raised_message_at] AS raised_message, otlp_text(name) AS plain_name, otlp_nanoseconds(moment) AS at_ns
    FROM otlp_events events JOIN otlp_event_shapes shapes USING (keys)
)
SELECT span_row, size, event_at, counted, plain_name AS name, name AS leaf, otlp_moment(at_ns) AS happened_at,
       coalesce(kinds.word, 'span_event') AS kind,
       shape_left IS NULL AND coalesce(list_count(said) = len(said), true) AND coalesce(starts_with(name, '"'), true)
           AND (moment IS NULL OR at_ns IS NOT NULL) AND coalesce(name, moment) IS NOT NULL
           AND otlp_is_word(content) AND otlp_is_word(raised_type) AND otlp_is_word(raised_message)
           AND NOT coalesce(regexp_full_match(plain_name, getvariable('otlp_handoffs')), false) AS told,
       otlp_text(raised_type) AS raised_type, otlp_text(raised_message) AS raised_message,
       otlp_object(otlp_members(names, said)) AS attributes,
       otlp_one_line(CASE kinds.word
           WHEN 'exception' THEN concat_ws(': ', otlp_text(raised_type), otlp_text(raised_message))
           WHEN 'message' THEN otlp_text(content) ELSE plain_name END) AS summary
FROM found LEFT JOIN otlp_event_kinds kinds ON kinds.text = plain_name;

CREATE OR REPLACE TEMP TABLE otlp_event_sums AS
-- Messages are an input where no attribute says it: they stand as JSON.
SELECT span_row, bool_and(told) AND any_value(size) = 1 + sum(counted) AS events_told,
       max(event_at) FILTER (kind = 'exception') AS raised_at, 
       string_agg(concat('{"name":', leaf, ',"attributes":', coalesce(attributes, '{}'), '}'), ',' ORDER BY event_at)
           FILTER (kind = 'message') AS messages
FROM otlp_said_events GROUP BY span_row;
