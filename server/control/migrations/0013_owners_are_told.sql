-- Choices of owners for a site: whether searches without a result are counted, and whose writes are published by
-- themselves.
CREATE TABLE site_choices (
    site TEXT NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    counts_searches INTEGER NOT NULL DEFAULT 0,
    publishes_after TEXT NOT NULL DEFAULT 'nothing' CHECK (publishes_after IN ('nothing', 'long_lived', 'all'))
);

-- Writes by keys that are to be published by themselves when there are no more of them: the first and the last one,
-- and the key of the last.
CREATE TABLE unpublished_writes (
    site TEXT NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    actor TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);

ALTER TABLE publish_jobs ADD COLUMN by_itself INTEGER NOT NULL DEFAULT 0;

-- What accounts are told when something breaks: addresses that are called, with the sealed secret that signs each
-- call, and whether a mail is sent.
CREATE TABLE webhooks (
    id TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX webhooks_by_account ON webhooks (account);

CREATE TABLE mail_choices (
    account TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL
);

-- Notices on their way, to a webhook or, without one, by mail. `taken_until` is when another process may take one
-- over, `status` the HTTP status of the last answer.
CREATE TABLE notices (
    number INTEGER PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    webhook TEXT REFERENCES webhooks (id) ON DELETE CASCADE,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    taken_until BIGINT NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
    status INTEGER,
    said TEXT NOT NULL DEFAULT '',
    ended_at BIGINT
);

CREATE INDEX notices_by_state ON notices (state, due_at);
CREATE INDEX notices_by_webhook ON notices (webhook, number);
