-- Every span with what it means, and why it is left to the records where that is not certain.
CREATE OR REPLACE TEMP TABLE otlp_read AS
WITH found AS (
    SELECT spans.rowid AS span_row, spans.* EXCLUDE (keys, span, kind, status, said, counted, size, events),
           contains(span, '\\u00') AS holds_escapes, starts_with(span, '{') AS is_object,
           shapes.* EXCLUDE (keys), resources.* EXCLUDE (resource), scopes.* EXCLUDE (scope), line_whole,
           before + span_at - 1 AS ordinal, kinds.word AS own_kind, statuses.word AS status, said,
           coalesce(list_count(said) = len(said), true) AND whole AND kinds.text IS NOT NULL
               AND statuses.text IS NOT NULL AS told,
           coalesce(events_told, events IS NULL) AS events_told, messages, raised_at,
           coalesce(sets.sets, 0) AS sets, coalesce(sets.told, true) AS sets_told,
           otlp_nanoseconds(began) AS began_ns, otlp_nanoseconds(ended) AS ended_ns,
           coalesce(ended IN ('0', '"0"'), true) AS is_open,
           said[operation_at] AS operation, said[kind_at] AS kind, said[tool_at] AS tool, said[entity_at] AS entity,
           said[model_at] AS model, said[agent_at] AS agent, said[phase_at] AS phase, said[session_at] AS own_session,
           said[input_tokens_at] AS input_tokens, said[output_tokens_at] AS output_tokens, said[cost_at] AS cost,
           said[input_at] AS input, said[error_type_at] AS error_type, said[error_message_at] AS error_message
    FROM otlp_spans spans
    JOIN otlp_groups USING (line, resource_at, scope_at)
    JOIN otlp_shapes shapes USING (keys)
    JOIN otlp_resources resources USING (resource)
    JOIN otlp_scopes scopes USING (scope)
    LEFT JOIN otlp_kinds kinds ON kinds.text = spans.kind
    LEFT JOIN otlp_statuses statuses ON statuses.text = spans.status
    LEFT JOIN otlp_event_sums sums ON sums.span_row = spans.rowid
    LEFT JOIN otlp_set_sums sets ON sets.span_row = spans.rowid
),
meant AS (
    SELECT found.*, otlp_text(name) AS plain_name, otlp_text(tool) AS plain_tool, otlp_text(entity) AS plain_entity,
           coalesce(own_session, resource_session) AS session,
           status = 'error' OR error_type IS NOT NULL AS has_failed,
           coalesce(CASE WHEN operation IS NOT NULL THEN coalesce(operations.word, otlp_text(operation))
               ELSE CASE WHEN named.text IS NOT NULL THEN named.word ELSE lower(trim(otlp_text(kind))) END END,
               nullif(own_kind, 'unspecified')) AS span_kind
    FROM found
    LEFT JOIN otlp_operations operations ON operations.text = lower(otlp_text(operation))
    LEFT JOIN otlp_named_kinds named ON named.text = lower(trim(otlp_text(kind)))
)
SELECT line, ordinal, span_row, bare OR NOT line_whole OR NOT is_object AS whole_line,
       CASE WHEN NOT line_whole THEN 'form'
            WHEN NOT told THEN 'other_form'
            WHEN shape_left IS NOT NULL THEN shape_left
            WHEN resource_left IS NOT NULL THEN resource_left
            WHEN scope_left IS NOT NULL THEN scope_left
            WHEN NOT coalesce(otlp_is_id(trace_id) AND otlp_is_id(span_id), false)
                OR NOT coalesce(regexp_full_match(parent_span_id, '"0*"') OR otlp_is_id(parent_span_id), true)
                OR span_id IS NOT DISTINCT FROM parent_span_id THEN 'id'
            WHEN began_ns IS NULL OR NOT (is_open OR ended_ns IS NOT NULL) OR ended_ns // 1000 < began_ns // 1000
                THEN 'time'
            WHEN NOT (coalesce(starts_with(name, '"'), true) AND coalesce(starts_with(trace_state, '"'), true)
                AND coalesce(starts_with(status_message, '"'), true)
                AND otlp_is_count(trace_flags) AND otlp_is_count(dropped_attributes)
                AND otlp_is_count(dropped_events) AND otlp_is_count(dropped_links)) THEN 'field'
            WHEN NOT (otlp_is_word(tool) AND otlp_is_word(entity) AND otlp_is_word(model) AND otlp_is_word(agent)
                AND otlp_is_word(own_session) AND otlp_is_word(error_type) AND otlp_is_word(error_message)
                AND input IS DISTINCT FROM '""'
                AND coalesce(regexp_full_match(phase, '"[!-~](?:[ -~]*[!-~])?"'), true)
                AND coalesce(regexp_full_match(operation, '"[ -~]+"'), true)
                AND coalesce(regexp_full_match(kind, '"[ -~]+"'), true)
                AND coalesce(regexp_full_match(input_tokens, '"?[0-9]{1,18}"?'), true)
                AND coalesce(regexp_full_match(output_tokens, '"?[0-9]{1,18}"?'), true)
                AND coalesce(regexp_full_match(cost, '-?[0-9][-+.e0-9]*'), true)) THEN 'meaning'
            WHEN span_kind = 'guardrail' THEN 'guardrail'
            WHEN otlp_may_hand_over(plain_name) OR otlp_may_hand_over(plain_tool)
                OR otlp_may_hand_over(plain_entity) THEN 'handoff'
            WHEN NOT events_told THEN 'events'
            WHEN NOT sets_told THEN 'documents'
            WHEN links IS NOT NULL THEN 'links'
            WHEN holds_escapes THEN 'escapes' END AS reason,
       otlp_text(trace_id) AS trace_id, otlp_text(span_id) AS span_id,
       CASE WHEN NOT regexp_full_match(parent_span_id, '"0*"') THEN otlp_text(parent_span_id) END AS parent_span_id,
       plain_name AS name, otlp_moment(began_ns) AS started_at, otlp_moment(ended_ns) AS ended_at, status AS code,
       CASE WHEN is_open AND status = 'unset' THEN 'open' ELSE status END AS status,
       span_kind AS kind, otlp_text(phase) AS phase, otlp_text(agent) AS agent, otlp_text(model) AS model,
       coalesce(plain_tool, CASE WHEN span_kind = 'tool' THEN coalesce(plain_entity,
           CASE WHEN starts_with(plain_name, 'execute_tool ') THEN plain_name[14:] END) END) AS tool,
       input_tokens, output_tokens, cost, session, service, resource_digest, resource_attributes,
       concat(otlp_members(names, said),
           ',"otel.trace_state":' || nullif(trace_state, '""'), ',"otel.flags":' || trace_flags,
           ',"otel.dropped_attributes_count":' || dropped_attributes,
           ',"otel.dropped_events_count":' || dropped_events, ',"otel.dropped_links_count":' || dropped_links,
           scope_beside,
           CASE WHEN otlp_is_finer(began_ns) THEN ',"otel.recorded_start":"' || began_ns || '"' END,
           CASE WHEN otlp_is_finer(ended_ns) THEN ',"otel.recorded_end":"' || ended_ns || '"' END,
           ',"otel.kind":"' || own_kind || '"', ',"otel.status_message":' || nullif(status_message, '""'), resource_beside,
           CASE WHEN NOT names_service THEN service_beside END,
           CASE WHEN NOT names_session THEN ',"session.id":' || session END) AS members,
       CASE WHEN starts_with(input, '"') THEN otlp_text(input)
            WHEN input IS NOT NULL THEN '{"attributes":{"input.value":' || input || '},"events":[]}'
            WHEN len(messages_at) > 0 OR messages IS NOT NULL THEN
                concat('{"attributes":{', otlp_members_at(names, said, messages_at), '},"events":[', messages, ']}')
            END AS input,
       CASE WHEN input IS NULL THEN CASE WHEN len(messages_at) > 0 OR messages IS NOT NULL THEN 'span' END
            WHEN NOT starts_with(input, '"') THEN 'span'
            -- After blanks of any kind, perhaps escaped, there may be JSON.
            WHEN regexp_matches(input, '^"(?:[^!-~]|\\)*[\[{]|^"(?:[^ -~]|\\u)') THEN 'json' ELSE 'text' END AS input_is,
       has_failed, CASE WHEN has_failed THEN raised_at END AS raised_at, sets,
       CASE WHEN has_failed THEN otlp_text(error_type) END AS error_type,
       CASE WHEN has_failed THEN nullif(otlp_text(status_message), '') END AS status_message,
       CASE WHEN has_failed THEN otlp_text(error_message) END AS error_message,
       CASE WHEN has_failed AND len(http_at) > 0 THEN '{' || otlp_members_at(names, said, http_at) || '}' END AS http
FROM meant;
