-- Words in which records say that something was simply done again, and that it was changed first.
CREATE OR REPLACE TEMP MACRO says_retry(said) AS
    regexp_matches(lower(said), '\b(retr(y|ied|ies|ying)|re-?r[ua]n(ning)?|try again|tried again|repeat(ed)?|same call)\b');
CREATE OR REPLACE TEMP MACRO says_changed(said) AS
    regexp_matches(
        lower(said),
        'chang|\bfix|adjust|differ|correct|modif|reduc|smaller|updat|re-?read|re-?fetch|rebas|refresh|narrow|instead|alternativ'
        || '|only (the )?fail|failed (unit|item|one|part)|inject|decompos'
    );
CREATE OR REPLACE TEMP MACRO is_full(signature, signature_partial) AS
    signature IS NOT NULL AND signature_partial IS NOT DISTINCT FROM false;
CREATE OR REPLACE TEMP MACRO may_be_retried(tool_error_class, transient, agent_error_code) AS
    coalesce(tool_error_class = 'transport', false) OR coalesce(transient, false)
    OR coalesce(agent_error_code IN ('TIMEOUT', 'TRANSIENT'), false);
CREATE OR REPLACE TEMP MACRO target_of(attributes) AS
    lower(trim(coalesce(
        json_extract_string(attributes, '$.resource'), json_extract_string(attributes, '$.target'),
        json_extract_string(attributes, '$.destination'))));
-- Each Action text is read once, however many errors say it.
CREATE OR REPLACE TEMP TABLE action_words AS
SELECT action, says_retry(action) AS is_retry, coalesce(says_changed(action), false) AS is_change
FROM (SELECT DISTINCT action FROM error_events WHERE action IS NOT NULL) AS texts;
