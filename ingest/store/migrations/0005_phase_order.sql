-- Reference: the phases of each lifecycle in their order, under every name they go by. A distance exists only within one.
CREATE TABLE phase_order (
    lifecycle VARCHAR,          -- nexus, agent
    alias VARCHAR,              -- as written, in capitals with _ for spaces
    phase VARCHAR,              -- its one name in the lifecycle
    position BIGINT
);
INSERT INTO phase_order VALUES
    ('nexus', 'PLAN', 'PLAN', 1),
    ('nexus', 'CLASSIFY', 'PLAN', 1),
    ('nexus', 'PREPARE', 'PREPARE', 2),
    ('nexus', 'CHAIN_SELECT', 'CHAIN_SELECT', 3),
    ('nexus', 'EXECUTE', 'EXECUTE', 4),
    ('nexus', 'EXECUTE_LOOP', 'EXECUTE', 4),
    ('nexus', 'DO', 'EXECUTE', 4),
    ('nexus', 'AGGREGATE', 'AGGREGATE', 5),
    ('nexus', 'VERIFY', 'VERIFY', 6),
    ('nexus', 'CHECK', 'VERIFY', 6),
    ('nexus', 'REVIEW', 'REVIEW', 7),
    ('nexus', 'DELIVER', 'DELIVER', 8),
    ('agent', 'INIT', 'INIT', 1),
    ('agent', 'PLAN', 'PLAN', 2),
    ('agent', 'EXECUTE', 'EXECUTE', 3),
    ('agent', 'JUDGE', 'JUDGE', 4),
    ('agent', 'VERIFY', 'VERIFY', 5),
    ('agent', 'FINALIZE', 'FINALIZE', 6),
    ('agent', 'DONE', 'DONE', 7);
