-- What an acknowledgement was given for: it holds for this severity and this band, and no longer.
ALTER TABLE acknowledgements ADD COLUMN severity VARCHAR;
ALTER TABLE acknowledgements ADD COLUMN band_low DOUBLE;
ALTER TABLE acknowledgements ADD COLUMN band_high DOUBLE;

-- Every band that was seen in force, so that a change of band is an entry in the history of alerts.
CREATE TABLE bands_in_force (
    workload VARCHAR,
    low DOUBLE,
    high DOUBLE,
    window_text VARCHAR,
    min_finished BIGINT,
    risk_bearing BOOLEAN,
    reviewed_by VARCHAR,
    reason VARCHAR,
    in_force_from TIMESTAMPTZ,  -- by the clock of the records; NULL for the first band seen: it holds for all that went before
    recorded_at TIMESTAMPTZ
);

-- What was told to whom, so that nothing is told twice. The address may be a secret: only its digest is kept.
CREATE TABLE notifications (
    workload VARCHAR,
    target VARCHAR,
    kind VARCHAR,               -- entered, cleared, flipped, raised, reopened
    to_state VARCHAR,
    severity VARCHAR,
    day DATE,                   -- the daily evaluation that made the change
    ack_id VARCHAR,             -- the acknowledgement that no longer held, for reopened
    sent_at TIMESTAMPTZ
);
