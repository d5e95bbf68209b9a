-- Addresses of previews of unpublished pages: one for each site that a session looks at, which ends with the session.
-- The token in the host name is found by its SHA-256, as 64 hexadecimal digits; `sealed` has the token itself, so that
-- the same session gets the same address again from every process of the service.

CREATE TABLE site_previews (
    digest TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    session TEXT NOT NULL REFERENCES browser_sessions (id) ON DELETE CASCADE,
    sealed TEXT NOT NULL,
    ends_at BIGINT NOT NULL,
    UNIQUE (session, site)
);

CREATE INDEX site_previews_by_site ON site_previews (site);
CREATE INDEX site_previews_by_end ON site_previews (ends_at);
