-- The event that a diagnosis names, as recorded; `event_id` is that one, else the nearest failure before it.
ALTER TABLE diagnoses ADD COLUMN for_event VARCHAR;
UPDATE diagnoses SET for_event = event_id;
