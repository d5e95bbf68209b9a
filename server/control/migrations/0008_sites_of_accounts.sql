-- Sites of accounts: each is a folder of the service, named by its id. `name` is its address among all sites, NULL on a
-- writer's own machine. At `delete_at` it is deleted, unless its owner restores it before; its keys open nothing
-- until then.

ALTER TABLE sites ADD COLUMN name TEXT;
ALTER TABLE sites ADD COLUMN delete_at BIGINT;

CREATE UNIQUE INDEX sites_by_name ON sites (name);
CREATE INDEX sites_by_account ON sites (account, name);
CREATE INDEX sites_by_end ON sites (delete_at);

-- A name that a site had stays its account's until `ends_at`: nobody else takes over its readers and links.
CREATE TABLE former_site_names (
    name TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ends_at BIGINT NOT NULL
);
