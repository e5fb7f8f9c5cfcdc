-- What the conformance rules found. Derived when records are loaded, a run at a time, so that pages and `check` read
-- findings and never judge anew. A rule is one file in `ingest/derive/rules`.
CREATE TABLE findings (
    run_id VARCHAR,
    event_id VARCHAR,           -- the event or span that breaks the rule; NULL: the run as a whole
    seq BIGINT,                 -- of that event or span
    rule VARCHAR,
    severity VARCHAR,           -- warning, error, critical
    message VARCHAR,
    evidence JSON               -- the recorded values that decide
);

-- Which rules had something to judge in a run. A run without a row was loaded before there were rules: not "no findings".
CREATE TABLE rule_verdicts (
    run_id VARCHAR,
    evaluated VARCHAR[],        -- rules that judged at least one record of the run
    not_evaluable VARCHAR[]     -- rules that met a record which lacks what they need
);

-- The rules that judged this store. `run_id` is the catalogue's own mark: a rule belongs to no run.
CREATE TABLE conformance_rules (
    run_id VARCHAR,
    rule VARCHAR,
    severity VARCHAR,
    statement VARCHAR,
    needs VARCHAR,
    advice VARCHAR
);

-- Agents that waited for one another at the same time, each cycle once.
CREATE TABLE wait_cycles (
    run_id VARCHAR,
    event_id VARCHAR,           -- the wait that closed the cycle
    members VARCHAR[],          -- the agents in order, the first one again at the end
    waits VARCHAR[],            -- the event ids of its waits
    since TIMESTAMPTZ           -- when the cycle was closed; NULL where the waits have no times
);

-- Every failure that was tried again, once: by a recorded or derived `retry` event, an Action that says so, or the same
-- failure again in the same step.
CREATE TABLE retries (
    run_id VARCHAR,
    event_id VARCHAR,           -- the retry: its own event, or the error it ended in
    of_event VARCHAR,           -- the failure that was tried again
    seq BIGINT,
    step VARCHAR,
    is_bare BOOLEAN,            -- nothing was changed; NULL: not recorded
    is_transient BOOLEAN,       -- a bare retry is legitimate, up to 3
    tool_error_class VARCHAR,
    agent_error_code VARCHAR,
    signature VARCHAR           -- of the failure, where it is full
);
