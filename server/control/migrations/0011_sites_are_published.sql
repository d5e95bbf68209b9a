-- Wishes to publish sites: at most one waits and one runs for each. What they have to tell while they run, and the
-- releases, are files. `stop` is the wish that it ends, `attempts` how often it was begun.

CREATE TABLE publish_jobs (
    number INTEGER PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    actor TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    despite_errors INTEGER NOT NULL DEFAULT 0,
    stop INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    asked_at BIGINT NOT NULL,
    started_at BIGINT,
    ended_at BIGINT,
    release BIGINT,
    said TEXT NOT NULL DEFAULT ''
);

CREATE INDEX publish_jobs_by_site ON publish_jobs (site, number);
CREATE UNIQUE INDEX publish_jobs_under_way ON publish_jobs (site, state) WHERE state IN ('waiting', 'running');
