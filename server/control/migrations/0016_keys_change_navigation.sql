-- Whether a key may change the header, the footer and the sidebar of its site. Keys on a writer's own machine may.
ALTER TABLE keys ADD COLUMN navigation INTEGER NOT NULL DEFAULT 0;

UPDATE keys SET navigation = 1 WHERE site IN (SELECT id FROM sites WHERE account IS NULL);
