-- A database that goes on growing far beyond its storage lets nobody in until `shut_until`; NULL is one that
-- is not shut. `shuts` counts how often since it was full, and `shut_size` is how large it was the
-- last time, or when it was first seen to be so large.

ALTER TABLE databases ADD COLUMN shut_until BIGINT;
ALTER TABLE databases ADD COLUMN shuts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE databases ADD COLUMN shut_size BIGINT;
