-- A database is also shut when a session of it had to be ended by force: `shut_why` is 'session' then, and
-- 'storage' when it has grown far beyond its limit. `forced` counts how often, and `forced_at` is when last.

ALTER TABLE databases ADD COLUMN shut_why TEXT;
ALTER TABLE databases ADD COLUMN forced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE databases ADD COLUMN forced_at BIGINT;
UPDATE databases SET shut_why = 'storage' WHERE shut_until IS NOT NULL;
