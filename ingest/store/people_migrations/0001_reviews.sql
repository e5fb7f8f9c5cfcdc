-- What people write. It lies in its own store, so that no ingest can overwrite it.
CREATE TABLE reviews (
    review_id  VARCHAR,
    run_id     VARCHAR,
    event_id   VARCHAR,
    kind       VARCHAR,
    body       JSON,
    author     VARCHAR,
    created_at TIMESTAMPTZ,
    supersedes VARCHAR
);

CREATE TABLE acknowledgements (
    ack_id     VARCHAR,
    workload   VARCHAR,
    state      VARCHAR,
    author     VARCHAR,
    note       VARCHAR,
    created_at TIMESTAMPTZ,
    until      TIMESTAMPTZ
);
