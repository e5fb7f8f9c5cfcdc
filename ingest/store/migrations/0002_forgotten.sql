-- Runs that somebody removed: they stay out when their file is met again.
CREATE TABLE forgotten_runs (
    run_id VARCHAR,
    reason VARCHAR,             -- forget, or prune with the age
    forgotten_at TIMESTAMPTZ
);
