-- Domains that accounts want their sites to be at. A name is looked at for all who claim it together: `next_at` is when,
-- every few seconds until `quick_until`, and `lease` is of the process that asks just now. What was found last of where
-- it leads is the same for all; `looked_at` is when.

CREATE TABLE domains (
    name TEXT NOT NULL PRIMARY KEY,
    next_at BIGINT NOT NULL,
    quick_until BIGINT NOT NULL,
    lease TEXT NOT NULL DEFAULT '',
    lease_until BIGINT NOT NULL DEFAULT 0,
    looked_at BIGINT,
    routing TEXT NOT NULL DEFAULT 'waiting',
    routing_found TEXT NOT NULL DEFAULT ''
);

CREATE INDEX domains_by_next ON domains (next_at);

-- One claim has the name: the one with `verified_at`. Others reserve nothing. `failing_since` is when the record of that
-- one was last there for all to see. With `leads` readers are led to the main host of the site. `told` is what its owner
-- takes it to be: 'new' until both records were right once, then 'right' or 'broken'.
CREATE TABLE domain_claims (
    domain TEXT NOT NULL REFERENCES domains (name) ON DELETE CASCADE,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    verified_at BIGINT,
    failing_since BIGINT,
    ownership TEXT NOT NULL DEFAULT 'waiting',
    ownership_found TEXT NOT NULL DEFAULT '',
    leads INTEGER NOT NULL DEFAULT 1,
    companion INTEGER NOT NULL DEFAULT 0,
    told TEXT NOT NULL DEFAULT 'new',
    PRIMARY KEY (domain, account)
);

CREATE UNIQUE INDEX domain_claims_verified ON domain_claims (domain) WHERE verified_at IS NOT NULL;
CREATE INDEX domain_claims_by_site ON domain_claims (site);
CREATE INDEX domain_claims_by_account ON domain_claims (account);

-- The host of a site that its pages name as theirs: one of its domains, or its own name below the service's where `main`
-- is empty; NULL is no choice yet. With `leads` that own name leads to it.
CREATE TABLE site_hosts (
    site TEXT NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    main TEXT,
    leads INTEGER NOT NULL DEFAULT 1
);
