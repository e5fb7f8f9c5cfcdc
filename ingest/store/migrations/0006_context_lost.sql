-- Where the context of a step lost what it needed. Derived when records are loaded: the differences of the six sets of
-- every step, so that a page reads lost items and never subtracts sets.

-- A set that another one of the same step and name stands in for (a recorded one for a derived one, a newer `current`
-- revision for an older one) is kept and takes part in no difference.
ALTER TABLE context_sets ADD COLUMN superseded BOOLEAN;
ALTER TABLE context_items ADD COLUMN superseded BOOLEAN;

CREATE TABLE context_lost (
    run_id VARCHAR,
    step_id VARCHAR,
    stage_no BIGINT,            -- the difference, 1 to 5
    item_id VARCHAR,
    revision VARCHAR,           -- of the item in the set it was lost from
    current_revision VARCHAR,   -- of the item in `current`, where that set is there
    required BOOLEAN            -- NULL where the step records no required items
);

CREATE TABLE context_steps (
    run_id VARCHAR,
    step_id VARCHAR,
    seq BIGINT,
    occurred_at TIMESTAMPTZ,
    agent VARCHAR,
    phase VARCHAR,
    sets VARCHAR[],             -- the sets that are there; any other is not recorded
    derived_sets VARCHAR[],     -- those of them that a rule derived
    stage_no BIGINT,            -- the first difference that is not empty; NULL: none
    literal_stage_no BIGINT,    -- the same without regard to what was required
    lost BIGINT,                -- at that stage; NULL where no difference was evaluable
    lost_background BIGINT,     -- not required: at that stage, or anywhere where there is none
    proven BOOLEAN,
    not_evaluable BIGINT[],     -- the differences with a missing side
    compared_by_id BIGINT       -- consumed items that stand in `current` where one side has no revision
);

-- What is current, for steps that do not say so themselves. `run_id` is the catalogue's own mark: it belongs to no run.
CREATE TABLE catalogue_items (
    run_id VARCHAR,
    event_id VARCHAR,
    workload VARCHAR,           -- NULL: for every workload
    item_id VARCHAR,
    revision VARCHAR,
    valid_from TIMESTAMPTZ,     -- NULL: always
    seq BIGINT,
    recorded_seq BIGINT,
    occurred_at TIMESTAMPTZ,
    position BIGINT,
    flags VARCHAR[],
    attributes JSON,
    file_id VARCHAR,
    part VARCHAR,
    line BIGINT
);

-- Reference: the five differences, read from the first on, and who owns each.
CREATE TABLE context_stages (stage_no BIGINT, difference VARCHAR, minuend VARCHAR, subtrahend VARCHAR, stage VARCHAR, owner VARCHAR);
INSERT INTO context_stages VALUES
    (1, 'required − retrieved', 'required', 'retrieved', 'retrieval omission', 'ingestion / index / query'),
    (2, 'retrieved − eligible', 'retrieved', 'eligible', 'policy or authority filter', 'permissions, scope, classification'),
    (3, 'eligible − composed', 'eligible', 'composed', 'budget or composition drop', 'budget order, degradation step'),
    (4, 'composed − consumed', 'composed', 'consumed', 'attention or utilisation', 'volume, position, format'),
    (5, 'consumed − current', 'consumed', 'current', 'staleness or wrong authority', 'freshness typing, authority');

-- Reference: the context failure classes, and the differences at which each shows; none for those no difference shows.
CREATE TABLE context_failure_classes (context_failure_class VARCHAR, sign VARCHAR, fix_place VARCHAR, stages BIGINT[]);
INSERT INTO context_failure_classes VALUES
    ('omission', 'the violated constraint is never cited', 'required set', [1, 2, 3]),
    ('overload', 'quotable from context yet unused', 'cut volume, not sources', [4]),
    ('conflict', 'two composed items contradict, unflagged', 'authority, not order', []),
    ('staleness', 'source revision ≠ the one used', 'freshness typing', [5]),
    ('misrouting', 'acts outside its brief', 'routing', []),
    ('wrong_authority', 'chat or draft over spec or decision', 'authority per question', [5]),
    ('retrieval_failure', 'exists, allowed, never a candidate', 'ingestion, index, query; not the reranker', [1]),
    ('ranking_failure', 'was a candidate, below the cut', 'rerank, budget; not ingestion', [3]),
    ('summary_drift', 'a hedge returns as a flat claim', 'compression check', []),
    ('memory_pollution', 'carried claim without a live source', 'memory rules', []),
    ('instruction_collision', 'two rules cannot both hold', 'precedence, else stop', []),
    ('context_poisoning', 'retrieved text steers behaviour', 'instruction gate', []),
    ('secret_leakage', 'a credential in prompt, args or log', 'resolve inside the tool', []),
    ('scope_leakage', 'out-of-scope item composed', 'gate before rank', []),
    ('hidden_dependency', 'a flag or environment fact never composed', 'inventory', []),
    ('tool_context_mismatch', 'well-formed call, wrong here', 'refresh per phase', []);
