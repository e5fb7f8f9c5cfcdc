-- What a run consumed, each token counted once: a span whose parts record their own is their sum, not more.
ALTER TABLE runs ADD COLUMN input_tokens BIGINT;
ALTER TABLE runs ADD COLUMN output_tokens BIGINT;
ALTER TABLE runs ADD COLUMN cost_usd DOUBLE;
