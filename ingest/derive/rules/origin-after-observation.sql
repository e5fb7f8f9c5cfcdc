-- rule: origin-after-observation
-- severity: warning
-- statement: originated_at is later in the phase order than observed_at.
-- needs: two phases of one lifecycle
-- advice: A failure cannot begin after it was seen: look at the diagnosis again.
-- when: diagnoses
WITH named AS (
    SELECT d.run_id, coalesce(d.event_id, d.diagnosis_id) AS event_id, d.diagnosis_id, d.observed_at, d.originated_at,
           CASE r.source WHEN 'bijux-canon-agent' THEN 'agent' ELSE 'nexus' END AS home,
           upper(replace(replace(regexp_replace(trim(regexp_extract(
               d.observed_at, '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1)), '(?i)\s+(step|node)\b.*$', ''), ' ', '_'), '-', '_')) AS observed,
           upper(replace(replace(regexp_replace(trim(regexp_extract(
               d.originated_at, '^\s*(?:(?i:phase)\s+)?([^/:,;(#–—]+)', 1)), '(?i)\s+(step|node)\b.*$', ''), ' ', '_'), '-', '_')) AS originated
    FROM diagnoses d LEFT JOIN runs r USING (run_id)
),
placed AS (
    SELECT n.run_id, n.diagnosis_id, arg_min(o.position - b.position, CAST(o.lifecycle <> n.home AS INTEGER)) AS distance
    FROM named n JOIN phase_order o ON o.alias = n.observed
    JOIN phase_order b ON b.alias = n.originated AND b.lifecycle = o.lifecycle
    GROUP BY n.run_id, n.diagnosis_id
)
SELECT n.run_id, n.event_id, p.distance < 0 AS violated,
       'originated at ' || n.originated_at || ', observed at ' || n.observed_at || ', which is before it' AS message,
       json_object('observed_at', n.observed_at, 'originated_at', n.originated_at, 'distance', p.distance) AS evidence
FROM named n LEFT JOIN placed p ON p.run_id = n.run_id AND p.diagnosis_id = n.diagnosis_id
