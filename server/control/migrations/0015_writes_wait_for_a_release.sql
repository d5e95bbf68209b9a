-- Writes by keys that no release has yet: of each key the first and the last one, and the job that took them. `job` is
-- 0 while none has, and -1 where none is to take them by itself.
CREATE TABLE writes_of_keys (
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    actor TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    job BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (site, actor)
);

INSERT INTO writes_of_keys (site, actor, first_at, last_at)
SELECT site, actor, first_at, last_at FROM unpublished_writes;

DROP TABLE unpublished_writes;

ALTER TABLE writes_of_keys RENAME TO unpublished_writes;

-- Writes by keys that are under way: what is left of a killed process may stand in the site's files.
CREATE TABLE begun_writes (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    begun_at BIGINT NOT NULL
);

-- A job that has failed for what may be over soon waits until `due_at`; `tries` have failed so.
ALTER TABLE publish_jobs ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;

ALTER TABLE publish_jobs ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;
