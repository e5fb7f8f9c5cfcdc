-- Macros that do not change from window to window. A leaf is the text of one JSON value, NULL where it is absent or null.

-- How long a JSON list of so long elements is, NULL where there is none.
CREATE OR REPLACE TEMP MACRO otlp_list_size(sizes) AS
    CASE len(sizes) WHEN 0 THEN 2 ELSE 1 + len(sizes) + list_sum(sizes) END;

-- The text that a JSON text stands for.
CREATE OR REPLACE TEMP MACRO otlp_text(leaf) AS
    CASE WHEN contains(leaf, '\') THEN json_extract_string(leaf, '$') ELSE substr(leaf, 2, length(leaf) - 2) END;

-- It is absent, or a text that is not empty.
CREATE OR REPLACE TEMP MACRO otlp_is_word(leaf) AS coalesce(starts_with(leaf, '"') AND leaf <> '""', true);

-- It is absent, or a whole number that is not negative.
CREATE OR REPLACE TEMP MACRO otlp_is_count(leaf) AS coalesce(regexp_full_match(leaf, '0|[1-9][0-9]{0,17}'), true);

-- The number as Python prints it, NULL where it is none.
CREATE OR REPLACE TEMP MACRO otlp_number(leaf) AS
    CASE WHEN regexp_full_match(leaf, '0|-?[1-9][0-9]{0,17}') THEN leaf
         WHEN regexp_full_match(leaf, '-?[0-9.]+(?:[eE][-+]?[0-9]+)?') AND isfinite(TRY_CAST(leaf AS DOUBLE))
         THEN CAST(CAST(leaf AS DOUBLE) AS VARCHAR) END;

-- The list inside an arrayValue of texts, whole numbers and truths; NULL where it holds something else.
CREATE OR REPLACE TEMP MACRO otlp_list(leaf) AS
    CASE WHEN leaf IN ('{}', '{"values":[]}') THEN '[]'
         WHEN regexp_full_match(leaf, '\{"values":\[(?:,?(?:\{"stringValue":"(?:[^"\\]|\\.)*"\}|\{"boolValue":(?:true|false)\}|\{"intValue":"(?:0|-?[1-9][0-9]{0,17})"\}|\{"intValue":(?:0|-?[1-9][0-9]{0,17})\}))*\]\}')
         THEN regexp_replace(leaf[11:-2],
             '\{"(?:string|bool)Value":("(?:[^"\\]|\\.)*"|true|false)\}|\{"intValue":"?(-?[0-9]+)"?\}', '\1\2', 'g') END;

-- Of a list of attributes: the names as JSON, a comma between them; what each says as JSON, NULL where that is not
-- certain; and how long the list was.
CREATE OR REPLACE TEMP MACRO otlp_keys(attributes) AS
    coalesce(array_to_string(list_transform(attributes, lambda a: a.key), ','), '');
CREATE OR REPLACE TEMP MACRO otlp_said(attributes) AS list_transform(attributes, lambda a: CASE
    WHEN a.value.stringValue IS NOT NULL THEN
        CASE WHEN starts_with(a.value.stringValue, '"') THEN CAST(a.value.stringValue AS VARCHAR) END
    WHEN a.value.intValue IS NOT NULL THEN
        CASE WHEN regexp_full_match(a.value.intValue, '0|"0"|-?[1-9][0-9]{0,17}|"-?[1-9][0-9]{0,17}"')
             THEN replace(a.value.intValue, '"', '') END
    WHEN a.value.boolValue IS NOT NULL THEN
        CASE WHEN a.value.boolValue IN ('true', 'false') THEN CAST(a.value.boolValue AS VARCHAR) END
    WHEN a.value.doubleValue IS NOT NULL THEN otlp_number(a.value.doubleValue)
    ELSE otlp_list(a.value.arrayValue) END);
CREATE OR REPLACE TEMP MACRO otlp_attributes_size(attributes) AS
    otlp_list_size(list_transform(attributes, lambda a: strlen(a.key) + CASE
        WHEN a.value.stringValue IS NOT NULL THEN 33 + strlen(a.value.stringValue)
        WHEN a.value.intValue IS NOT NULL THEN 30 + strlen(a.value.intValue)
        WHEN a.value.boolValue IS NOT NULL THEN 31 + strlen(a.value.boolValue)
        WHEN a.value.doubleValue IS NOT NULL THEN 33 + strlen(a.value.doubleValue)
        ELSE 32 + strlen(a.value.arrayValue) END));

-- The members of an object from the names, each with its colon, and what they say.
CREATE OR REPLACE TEMP MACRO otlp_members(names, said) AS
    array_to_string(list_transform(said, lambda value, place: names[place] || value), ',');
CREATE OR REPLACE TEMP MACRO otlp_members_at(names, said, places) AS
    array_to_string(list_transform(places, lambda place: names[place] || said[place]), ',');

-- An id in its one spelling already: hex of the usual length, or no hex at all; and not all zeros.
CREATE OR REPLACE TEMP MACRO otlp_is_id(leaf) AS
    regexp_full_match(leaf, '"(?:[0-9a-f]{32}|[0-9a-f]{16})"|"[A-Za-z0-9_.:-]*[g-zG-Z_.:-][A-Za-z0-9_.:-]*"')
    AND NOT regexp_matches(leaf, '^"(?:0[xX]|0+"$)');

-- Nanoseconds since 1970, of these days; NULL for anything else.
CREATE OR REPLACE TEMP MACRO otlp_nanoseconds(leaf) AS
    CASE WHEN regexp_full_match(leaf, '"?(?:[0-9]{18}|[1-8][0-9]{18})"?') THEN CAST(replace(leaf, '"', '') AS BIGINT) END;
CREATE OR REPLACE TEMP MACRO otlp_moment(nanoseconds) AS make_timestamptz(nanoseconds // 1000);
-- What a column of microseconds does not hold.
CREATE OR REPLACE TEMP MACRO otlp_is_finer(nanoseconds) AS nanoseconds % 1000 > 0;

-- A name that may say that work changes hands.
CREATE OR REPLACE TEMP MACRO otlp_may_hand_over(name) AS
    coalesce(regexp_matches(name, '^(?:execute_tool )?\W*(?i:hand|transfer|escalat)'), false);

-- Python's small letters in the escapes of control characters; JSON has large ones as well.
CREATE OR REPLACE TEMP MACRO otlp_small_escapes(json) AS
    CASE WHEN NOT contains(json, '\u00') THEN json
         ELSE replace(replace(replace(replace(replace(replace(replace(replace(replace(json,
             '\u000B', '\u000b'), '\u000E', '\u000e'), '\u000F', '\u000f'), '\u001A', '\u001a'), '\u001B', '\u001b'),
             '\u001C', '\u001c'), '\u001D', '\u001d'), '\u001E', '\u001e'), '\u001F', '\u001f') END;

-- An object of members that each begin with a comma, or of which only the first does not; NULL where it has none.
CREATE OR REPLACE TEMP MACRO otlp_object(members) AS
    CASE WHEN members <> '' THEN
        otlp_small_escapes(concat('{', CASE WHEN starts_with(members, ',') THEN substr(members, 2) ELSE members END, '}')) END;

-- One line of at most 200 characters, blank space of any kind as one blank; NULL where there is no text.
CREATE OR REPLACE TEMP MACRO otlp_one_line(said) AS
    CASE WHEN said <> '' THEN left(trim(regexp_replace(said,
        '[\t-\r\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+', ' ', 'g')), 200) END;

CREATE OR REPLACE TEMP MACRO otlp_run(trace_id) AS 'opentelemetry:' || trace_id;

-- The digest of an input: of a text it is made here.
CREATE OR REPLACE TEMP MACRO otlp_digest(input, input_is, digest) AS
    CASE input_is WHEN 'text' THEN left(sha256(input), 16) ELSE digest END;
