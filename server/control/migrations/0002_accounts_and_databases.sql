-- An account is suspended by one row: its keys and databases are not touched, what they are follows from it.
-- `suspensions` counts its suspensions and clearings, so that a database knows which one it obeys.

CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    folded_email TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (plan IN ('free', 'premium')),
    suspended INTEGER NOT NULL DEFAULT 0 CHECK (suspended IN (0, 1)),
    suspensions BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);

-- Who owns a site; nobody where it is on its writer's own machine.
ALTER TABLE sites ADD COLUMN account TEXT REFERENCES accounts (id);

-- `number` is the order in which they were made: several may be made within a second.
CREATE TABLE management_keys (
    number INTEGER NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    digest TEXT NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    rotated_at BIGINT,
    last_used_at BIGINT,
    disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1))
);

CREATE INDEX management_keys_by_account ON management_keys (account, number);

-- What a database shall be, and how far the server has obeyed. Its id is also the name of the database and of
-- its role on the server. A change of `wanted` or of the password raises `generation`; once the server has it,
-- `applied` follows, and `next_password` becomes `password`. Both are sealed. `obeyed_suspensions` follows
-- `suspensions` of the account; `connection_limit` and `full` are what the server was told last. `number` is
-- the place in the account's list. It is on the server once `applied` has come to `made_from`, and `lost` when
-- somebody else has removed it there.
CREATE TABLE databases (
    id TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id),
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    wanted TEXT NOT NULL DEFAULT 'present' CHECK (wanted IN ('present', 'absent')),
    generation BIGINT NOT NULL DEFAULT 1,
    applied BIGINT NOT NULL DEFAULT 0,
    made_from BIGINT NOT NULL DEFAULT 1,
    lost INTEGER NOT NULL DEFAULT 0 CHECK (lost IN (0, 1)),
    obeyed_suspensions BIGINT NOT NULL DEFAULT 0,
    password TEXT,
    next_password TEXT,
    end_sessions INTEGER NOT NULL DEFAULT 0 CHECK (end_sessions IN (0, 1)),
    connection_limit INTEGER,
    size_bytes BIGINT,
    full INTEGER NOT NULL DEFAULT 0 CHECK (full IN (0, 1)),
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at BIGINT NOT NULL DEFAULT 0,
    last_error TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    password_rotated_at BIGINT
);

CREATE UNIQUE INDEX databases_by_name ON databases (account, folded_name) WHERE wanted = 'present';
CREATE UNIQUE INDEX databases_by_account ON databases (account, number);

-- What was asked for under an `Idempotency-Key`, and the state of the database that answers it. No answer is
-- kept: it would hold a password.
CREATE TABLE idempotency (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    subject TEXT NOT NULL,
    generation BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account, key)
);

-- Who saw or changed what. `actor` is the id of a key, or what else has asked; never a secret.
CREATE TABLE audit (
    number INTEGER NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    account TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    request TEXT NOT NULL
);

CREATE INDEX audit_by_account ON audit (account, number);

-- What the service chose once and keeps, by name: port of the database server, its sealed password, canaries.
CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- What is on the database server in our name and in no row of `databases`: reported, never dropped.
CREATE TABLE orphans (
    name TEXT NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
);
