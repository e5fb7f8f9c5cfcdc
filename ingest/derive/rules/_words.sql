-- Words in which records say that something was simply done again, and that it was changed or looked at first.
-- What a text refuses to do ("do not retry", "without forcing") is taken out of it before it is read.
CREATE OR REPLACE TEMP MACRO without_refused(said, words) AS
    regexp_replace(
        lower(said),
        '(n[''’]t|\b(not|never|no|without|avoid(s|ed|ing)?|skip(s|ped|ping)?|before|instead of|rather than|cannot))\s+'
        || '((be|been|being|to|the|a|an|any|all|more|further|bare|plain|blind|blindly|simply|just|another|even)\s+)*'
        || '(' || words || ')\w*', ' ', 'g');
CREATE OR REPLACE TEMP MACRO says_retry(said) AS
    regexp_matches(
        regexp_replace(
            without_refused(said, 'retr(y|ied|ies)|re-?r[ua]n|try again|repeat|same call'),
            '\bretr(y|ies)\s+(budget|limit|count|polic|cap\b|exhaust|used up|spent)', ' ', 'g'),
        '\b(retr(y|ied|ies|ying)|re-?r[ua]n(ning)?|try again|tried again|repeat(ed)?|same call)\b');
-- The thing itself was looked at before the retry: "check the ledger, then retry", not "the health check failed, retry".
CREATE OR REPLACE TEMP MACRO says_checked(said) AS
    regexp_matches(
        lower(said),
        '(^|[,;:.]\s*|\b(first|then|and|after|to)\s+)(check|verif|inspect|diagnos|confirm|look)\w*\b.*\b(retr(y|ied|ies|ying)|re-?r[ua]n)');
CREATE OR REPLACE TEMP MACRO says_changed(said) AS
    says_checked(said) OR regexp_matches(
        regexp_replace(without_refused(said, 'chang|fix|adjust|correct|modif|updat'), '\bunchanged|nothing (was )?(chang|fix)|\binstead of\b', ' ', 'g'),
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
-- A retry with nothing changed is right after these only: a recorded tool error class decides before any flag beside it.
CREATE OR REPLACE TEMP MACRO bare_retry_is_right(tool_error_class, transient, agent_error_code) AS
    coalesce(agent_error_code NOT IN ('VALIDATION_ERROR', 'FATAL', 'SECURITY'), true)
    AND CASE WHEN tool_error_class IS NOT NULL THEN tool_error_class = 'transport'
             ELSE may_be_retried(NULL, transient, agent_error_code) END;
-- Each Action text is read once, however many errors say it.
CREATE OR REPLACE TEMP TABLE action_words AS
SELECT action, says_retry(action) AS is_retry, coalesce(says_changed(action), false) AS is_change
FROM (SELECT DISTINCT action FROM error_events WHERE action IS NOT NULL) AS texts;
