-- when: recovery_events
-- when: diagnoses
-- A recovery attempt, and a diagnosis that stands alone, belong to a failure: the recorded one, else the nearest
-- error event of the run before it. The attempt then has that failure's signature.
CREATE OR REPLACE TEMP TABLE nearest AS
WITH marks AS (
    SELECT run_id, seq, event_id AS error_event_id, NULL AS entry, NULL AS kind FROM error_events
    UNION ALL
    SELECT run_id, seq, NULL, event_id, 'recovery_events' FROM recovery_events
    UNION ALL
    SELECT run_id, seq, NULL, diagnosis_id, 'diagnoses' FROM diagnoses
)
SELECT kind, run_id, entry,
       last_value(error_event_id IGNORE NULLS) OVER (
           PARTITION BY run_id ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
       ) AS error_event_id
FROM marks
QUALIFY entry IS NOT NULL;

UPDATE recovery_events SET error_event_id = coalesce(
    (SELECT any_value(e.event_id) FROM error_events e
     WHERE e.run_id = recovery_events.run_id AND e.event_id = recovery_events.for_event),
    n.error_event_id)
FROM nearest n
WHERE n.kind = 'recovery_events' AND n.run_id = recovery_events.run_id AND n.entry = recovery_events.event_id;

-- From what was recorded every time, never from what was derived when fewer records were known.
UPDATE diagnoses SET event_id = coalesce(for_event, n.error_event_id)
FROM nearest n
WHERE n.kind = 'diagnoses' AND n.run_id = diagnoses.run_id AND n.entry = diagnoses.diagnosis_id;

UPDATE recovery_events SET signature = e.signature, signature_partial = e.signature_partial
FROM error_events e
WHERE e.run_id = recovery_events.run_id AND e.event_id = recovery_events.error_event_id;
DROP TABLE nearest;
