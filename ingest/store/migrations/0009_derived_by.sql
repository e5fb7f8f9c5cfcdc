-- The version of the derivation that judged a run; NULL: it was loaded before that was remembered.
ALTER TABLE runs ADD COLUMN derived_by VARCHAR;
