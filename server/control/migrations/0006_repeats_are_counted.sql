-- What the same key does to the same database again within a minute is one event, with how often and when last:
-- who reveals a password all the time would fill the disk otherwise. `last_at` is NULL for what was done once.

ALTER TABLE audit ADD COLUMN count BIGINT NOT NULL DEFAULT 1;
ALTER TABLE audit ADD COLUMN last_at BIGINT;
CREATE INDEX audit_by_subject ON audit (subject, at);
