-- The tables of the store. Names and types are public: a change to one of them is a migration of its own.
-- Every record table carries where its row came from (file_id, part, line), the order its producer gave
-- (recorded_seq) and its position in its source, from which `seq` is numbered per run when it is loaded.

CREATE TABLE source_files (
    file_id VARCHAR,            -- sha256 of the bytes
    path VARCHAR,
    format VARCHAR,             -- NULL when nothing recognised it
    adapter_version INTEGER,
    bytes BIGINT,
    records BIGINT,             -- = stored + duplicates + rejected + skipped
    stored BIGINT,
    duplicates BIGINT,
    rejected BIGINT,
    skipped BIGINT,
    status VARCHAR,             -- loaded, unchanged, refused, ignored, superseded
    reason VARCHAR,
    ingested_at TIMESTAMPTZ,
    belongs_to VARCHAR,         -- file_id of the file this one is a companion of
    superseded_by VARCHAR       -- file_id of the longer version of the same file
);

CREATE TABLE skipped_records (
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT,
    reason VARCHAR,
    records BIGINT
);

CREATE TABLE rejections (
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT,
    offset_bytes BIGINT,
    reason VARCHAR,
    message VARCHAR,
    raw VARCHAR                 -- cut to 2,000 characters, secrets masked
);

-- What the files say of a run, one row a record; `runs` is what follows from all of them.
CREATE TABLE run_records (
    run_id VARCHAR,
    event_id VARCHAR,
    source VARCHAR,
    native_id VARCHAR,
    identity VARCHAR,           -- recorded, or derived where the producer gives no id
    event_digest VARCHAR,       -- equal for the same run exported without its id
    workload VARCHAR,
    tenant VARCHAR,
    name VARCHAR,
    status VARCHAR,
    status_reason VARCHAR,
    stop_reason VARCHAR,
    state_at_failure VARCHAR,
    contract_class VARCHAR,
    started_at TIMESTAMPTZ,
    ended_at TIMESTAMPTZ,
    clock VARCHAR,
    parent_run_id VARCHAR,
    session_id VARCHAR,
    occurred_at TIMESTAMPTZ,
    seq BIGINT,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE runs (
    run_id VARCHAR,
    source VARCHAR,
    native_id VARCHAR,
    workload VARCHAR,
    tenant VARCHAR,
    name VARCHAR,
    status VARCHAR,
    status_reason VARCHAR,
    stop_reason VARCHAR,
    state_at_failure VARCHAR,
    contract_class VARCHAR,
    started_at TIMESTAMPTZ,
    ended_at TIMESTAMPTZ,
    clock VARCHAR,              -- wall, synthetic, none
    parent_run_id VARCHAR,
    session_id VARCHAR,
    identity VARCHAR,
    event_digest VARCHAR,
    spans BIGINT,
    events BIGINT,
    errors BIGINT,
    recoveries BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    line BIGINT
);

CREATE TABLE spans (
    run_id VARCHAR,
    span_id VARCHAR,
    parent_span_id VARCHAR,
    seq BIGINT,
    kind VARCHAR,
    name VARCHAR,
    phase VARCHAR,
    agent VARCHAR,
    step_index BIGINT,
    started_at TIMESTAMPTZ,
    ended_at TIMESTAMPTZ,
    status VARCHAR,             -- ok, error, unset, open, not_reached; NULL: not recorded
    tool VARCHAR,
    model VARCHAR,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cost_usd DOUBLE,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

-- What happened and is none of the kinds below: a producer's own events, notes, messages.
CREATE TABLE events (
    run_id VARCHAR,
    event_id VARCHAR,
    span_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    kind VARCHAR,
    name VARCHAR,
    phase VARCHAR,
    agent VARCHAR,
    step_index BIGINT,
    summary VARCHAR,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE error_events (
    run_id VARCHAR,
    event_id VARCHAR,
    span_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    level VARCHAR,
    type VARCHAR,
    error_code VARCHAR,
    tool_error_class VARCHAR,
    context_failure_class VARCHAR,
    agent_error_code VARCHAR,
    transient BOOLEAN,
    failure_class VARCHAR,
    category VARCHAR,
    recoverable BOOLEAN,
    contract_class VARCHAR,
    contract_class_basis VARCHAR,
    step VARCHAR,               -- the step as recorded, where it is not X/Y
    step_index BIGINT,
    step_total BIGINT,
    phase VARCHAR,
    agent VARCHAR,
    details VARCHAR,
    action VARCHAR,
    result VARCHAR,
    observed_at VARCHAR,
    originated_at VARCHAR,
    trigger VARCHAR,
    root_cause VARCHAR,
    location VARCHAR,
    state_hash VARCHAR,
    signature VARCHAR,
    signature_partial BOOLEAN,
    resource VARCHAR,
    checked_state VARCHAR,
    checked_by VARCHAR,
    artifact_state VARCHAR,
    exit_code VARCHAR,
    basis VARCHAR,
    rule VARCHAR,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE recovery_events (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    chain VARCHAR,
    chain_recorded VARCHAR,
    trigger VARCHAR,
    confidence DOUBLE,
    auto_executed BOOLEAN,
    outcome VARCHAR,
    steps_completed BIGINT,
    artifacts VARCHAR[],
    for_event VARCHAR,          -- as recorded
    error_event_id VARCHAR,     -- the failure it belongs to: recorded, else the nearest preceding one
    signature VARCHAR,
    signature_partial BOOLEAN,
    basis VARCHAR,
    rule VARCHAR,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE recovery_steps (
    run_id VARCHAR,
    event_id VARCHAR,
    step BIGINT,
    agent VARCHAR,
    action VARCHAR,
    result VARCHAR,
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE guardrail_events (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    level VARCHAR,
    trigger VARCHAR,
    step VARCHAR,
    step_index BIGINT,
    step_total BIGINT,
    agent VARCHAR,
    action VARCHAR,
    details VARCHAR,
    recovery VARCHAR,
    decision VARCHAR,
    reason_code VARCHAR,
    destination VARCHAR,
    data_classes VARCHAR[],
    blast_radius VARCHAR,
    reversibility VARCHAR,
    alternative VARCHAR,
    result VARCHAR,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE context_sets (
    run_id VARCHAR,
    event_id VARCHAR,
    step_id VARCHAR,
    set_name VARCHAR,           -- required, retrieved, eligible, composed, consumed, current
    recorded BOOLEAN,
    items BIGINT,
    agent VARCHAR,
    phase VARCHAR,
    occurred_at TIMESTAMPTZ,
    seq BIGINT,
    basis VARCHAR,
    rule VARCHAR,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE context_items (
    run_id VARCHAR,
    event_id VARCHAR,
    step_id VARCHAR,
    set_name VARCHAR,
    item_id VARCHAR,
    revision VARCHAR,
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE context_ops (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    op VARCHAR,
    trigger_no BIGINT,
    escalated BOOLEAN,
    resume_contract_kept BOOLEAN,
    agent VARCHAR,
    details VARCHAR,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE diagnoses (
    run_id VARCHAR,
    diagnosis_id VARCHAR,
    event_id VARCHAR,           -- the event that is diagnosed
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    observed_at VARCHAR,
    originated_at VARCHAR,
    trigger VARCHAR,
    root_cause VARCHAR,
    context_failure_class VARCHAR,
    fix_at VARCHAR,
    prevention_layer VARCHAR,
    prevention VARCHAR,
    durable BOOLEAN,
    status VARCHAR,
    basis VARCHAR,
    rule VARCHAR,
    author VARCHAR,
    recorded_at TIMESTAMPTZ,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE delegations (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    task_id VARCHAR,
    from_agent VARCHAR,
    to_agent VARCHAR,
    hop_count BIGINT,
    visited VARCHAR[],
    denied BOOLEAN,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE waits (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    waiter VARCHAR,
    holder VARCHAR,
    waits_for VARCHAR,
    since TIMESTAMPTZ,
    deadline TIMESTAMPTZ,
    until TIMESTAMPTZ,
    occurred_at TIMESTAMPTZ,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE task_owners (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    task_id VARCHAR,
    agent VARCHAR,
    since TIMESTAMPTZ,
    until TIMESTAMPTZ,
    occurred_at TIMESTAMPTZ,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE handoffs (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    from_agent VARCHAR,
    to_agent VARCHAR,
    status VARCHAR,             -- accepted, refused
    condition VARCHAR,
    bounce BIGINT,
    details VARCHAR,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE replays (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    replay_of VARCHAR,
    verdict VARCHAR,
    dimension VARCHAR,          -- NULL on the row that carries the verdict alone
    expected VARCHAR,
    observed VARCHAR,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

CREATE TABLE reported_metrics (
    run_id VARCHAR,
    event_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    chain VARCHAR,
    attempts BIGINT,
    success_rate DOUBLE,
    avg_confidence DOUBLE,
    escalation_rate DOUBLE,
    recorded_seq BIGINT,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

-- Reference: the normative tables of the error models, so that queries join them instead of repeating them.
CREATE TABLE failure_profiles (failure_class VARCHAR, category VARCHAR, retryable BOOLEAN, replayable BOOLEAN);
INSERT INTO failure_profiles VALUES
    ('user_interruption', 'operational', false, true),
    ('epistemic_uncertainty', 'epistemic', false, true),
    ('verification_veto', 'operational', false, true),
    ('budget_exceeded', 'operational', false, true),
    ('max_iterations', 'operational', false, true),
    ('fatal_failure', 'operational', false, false),
    ('execution_error', 'operational', true, false),
    ('validation_error', 'operational', false, true),
    ('resource_exhaustion', 'operational', true, false);

CREATE TABLE contract_classes (contract_class VARCHAR, operator_response VARCHAR);
INSERT INTO contract_classes VALUES
    ('structural', 'correct the contract or input'),
    ('semantic', 'review policy, entropy declarations, evidence'),
    ('environmental', 'restore the environment, keep the contract'),
    ('authority', 'stop and investigate, never retry as noise'),
    ('unclassified', 'none: the class is not known, and stays so');

CREATE TABLE failure_states (state_at_failure VARCHAR, evidence_that_holds VARCHAR, permitted_next_action VARCHAR);
INSERT INTO failure_states VALUES
    ('preparation_refused', 'validated inputs and the refusal; no execution claim', 'repair configuration or policy, prepare again'),
    ('interrupted', 'steps, events, artifacts, evidence, invocations, entropy, claims, checkpoint', 'resume that run: same tenant, run and plan; event indexes continue'),
    ('governed_failure', 'trace and failure evidence up to the end', 'inspect; retry only under policy'),
    ('finalization_refused', 'finalized evidence plus the violation', 'keep for diagnosis; not a valid result'),
    ('finalized', 'immutable trace and run record', 'replay or compare, never reopen');
