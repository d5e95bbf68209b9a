-- People sign in with a browser. Of the token of a session or of a one-time link only the SHA-256 is kept, as 64
-- hexadecimal digits. An account that is an operator's may look after all others; `reason` says why it is
-- suspended; at `delete_at` it is deleted, unless its owner restores it before.

ALTER TABLE accounts ADD COLUMN operator INTEGER NOT NULL DEFAULT 0 CHECK (operator IN (0, 1));
ALTER TABLE accounts ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN delete_at BIGINT;

-- `client` names browser and system, `address` is the one that signed in. What is dangerous is allowed until
-- `stepped_up_until`.
CREATE TABLE browser_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    digest TEXT NOT NULL UNIQUE,
    client TEXT NOT NULL,
    address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    stepped_up_until BIGINT NOT NULL
);

CREATE INDEX browser_sessions_by_account ON browser_sessions (account, created_at);
CREATE INDEX browser_sessions_by_end ON browser_sessions (ends_at);

-- What a link opens, once: the first account, an invitation, an account for the address `email`, a new password,
-- the second step of a sign-in.
CREATE TABLE one_time_links (
    digest TEXT NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL CHECK (purpose IN ('first', 'invite', 'welcome', 'reset', 'second')),
    account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    email TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL
);

CREATE INDEX one_time_links_by_end ON one_time_links (ends_at);

-- How often something was tried within a slot of time, such as to guess the password of an account.
CREATE TABLE attempts (
    subject TEXT NOT NULL,
    slot BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (subject, slot)
);

CREATE INDEX attempts_by_slot ON attempts (slot);

-- Blocks of addresses from which an account was opened before: guesses from elsewhere lock nobody out there.
CREATE TABLE known_blocks (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    block TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (account, block)
);

CREATE INDEX known_blocks_by_time ON known_blocks (seen_at);

-- Codes of an app, as a second factor: the secret is sealed, and counts once its owner has given a code of it.
-- `last_step` is the step of time of the last code that was taken: none is taken twice.
CREATE TABLE time_codes (
    account TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    confirmed INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
    last_step BIGINT NOT NULL DEFAULT 0
);

-- In place of such a code, each of these once, by its SHA-256.
CREATE TABLE recovery_codes (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    PRIMARY KEY (account, digest)
);

-- Passkeys (WebAuthn): `id` is the credential's, `public_key` in COSE, both in base64url.
CREATE TABLE passkeys (
    id TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    public_key TEXT NOT NULL,
    sign_count BIGINT NOT NULL,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);

CREATE INDEX passkeys_by_account ON passkeys (account, created_at);

-- What a passkey is asked to sign, once; `account` is NULL where nobody is signed in yet.
CREATE TABLE passkey_challenges (
    challenge TEXT NOT NULL PRIMARY KEY,
    account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    ends_at BIGINT NOT NULL
);

CREATE INDEX passkey_challenges_by_end ON passkey_challenges (ends_at);

-- A secret on its way to the one page that shows it: sealed, for one session, until it is shown or its time is over.
CREATE TABLE shown_once (
    id TEXT NOT NULL PRIMARY KEY,
    session TEXT NOT NULL REFERENCES browser_sessions (id) ON DELETE CASCADE,
    sealed TEXT NOT NULL,
    ends_at BIGINT NOT NULL
);

CREATE INDEX shown_once_by_end ON shown_once (ends_at);
