-- How many signatures are in each state, and how many errors have them; by the same reading as `signatures`.
-- portable
WITH
-- include _signatures.sql
SELECT
    state,
    count(*) AS signatures,
    CAST(sum(occurrences) AS BIGINT) AS occurrences
FROM judged
WHERE ($search IS NULL
       OR contains(lower(concat_ws(' ', error_code, type, location, phase, signature)), lower($search)))
GROUP BY state
ORDER BY signatures DESC, state
