-- A link can also confirm the new address of an account.
CREATE TABLE new_links (
    digest TEXT NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL CHECK (purpose IN ('first', 'invite', 'welcome', 'reset', 'second', 'address')),
    account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    email TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);

INSERT INTO new_links (digest, purpose, account, email, created_at, ends_at)
SELECT digest, purpose, account, email, created_at, ends_at FROM one_time_links;

DROP TABLE one_time_links;

ALTER TABLE new_links RENAME TO one_time_links;

CREATE INDEX one_time_links_by_end ON one_time_links (ends_at);
