-- rule: chain-mismatch
-- severity: warning
-- statement: The chain used is not the one the trigger selects.
-- needs: a chain, and a trigger that names one failure share, a breaking change or a failed chain A
-- advice: [0, 20) retry, [20, 50) inject, [50, 80] chain A, over 80 chain B, a breaking change chain C.
-- when: recovery_events WHERE basis = 'recorded' AND chain IS NOT NULL
-- Each trigger is read once, however many attempts name it.
WITH triggers AS (SELECT DISTINCT trigger FROM recovery_events WHERE basis = 'recorded' AND chain IS NOT NULL),
shares AS (
    SELECT trigger, regexp_replace(lower(trigger), '\b(no|non|not a|without( any)?)[- ]?breaking', ' ', 'g') AS said,
           -- A share of passes, or of something else that a text with "failover" counts, is no share of failures.
           CASE WHEN regexp_matches(said, '(^|[^a-z])fail(s|ed|ing|ures?)?([^a-z]|$)') AND NOT regexp_matches(said, '(^|[^a-z])pass') AND NOT regexp_matches(said, '[<>≤≥~]|\d\s*%?\s*(-|–|to|\.\.)\s*\d')
                     AND length(said) - length(replace(said, '%', '')) = 1
                THEN TRY_CAST(replace(regexp_extract(said, '(\d+(?:[.,]\d+)?)\s*%', 1), ',', '.') AS DOUBLE) END AS share
    FROM triggers
),
selected AS (
    SELECT *, CASE WHEN regexp_matches(said, 'chain[ _-]*a[ _-]+(has[ _-]+)?(fail|escalat)') THEN 'B'
                   WHEN regexp_matches(said, 'breaking') THEN 'C'
                   WHEN regexp_matches(said, 'fail.*[>≥]\s*80\s*%') THEN 'B'
                   WHEN share > 100 THEN NULL WHEN share > 80 THEN 'B' WHEN share >= 50 THEN 'A'
                   WHEN share >= 20 THEN 'L2 inject' WHEN share >= 0 THEN 'L1 retry' END AS selects
    FROM shares
)
SELECT run_id, event_id, chain <> selects AS violated,
       'chain ' || chain || ' was used; the trigger “' || trigger || '” selects ' || selects AS message,
       json_object('chain', chain, 'trigger', trigger, 'selects', selects) AS evidence
FROM recovery_events LEFT JOIN selected USING (trigger)
WHERE basis = 'recorded' AND chain IS NOT NULL
