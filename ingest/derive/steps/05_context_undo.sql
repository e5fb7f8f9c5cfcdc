-- when: context_sets
-- when: context_items
-- What was derived of the context when fewer records were known is taken back before anything is numbered or derived.
DELETE FROM context_items USING context_sets s
WHERE s.run_id = context_items.run_id AND s.event_id = context_items.event_id
  AND s.basis = 'derived' AND starts_with(s.event_id, 'derived:context:');
DELETE FROM context_sets WHERE basis = 'derived' AND starts_with(event_id, 'derived:context:');
UPDATE context_sets SET superseded = NULL WHERE superseded;
UPDATE context_items SET superseded = NULL WHERE superseded;
