-- additive
-- What the console keeps: versions of workflows that admins saved (definition.Version; text '' removes the workflow), and
-- the prompts and replies of model calls (exchange.Row), which go with their runs.
CREATE TABLE definitions (
	id       TEXT NOT NULL,
	n        INTEGER NOT NULL,
	text     TEXT NOT NULL,
	saver    TEXT NOT NULL,
	at       INTEGER NOT NULL, -- microseconds
	restores INTEGER NOT NULL,
	PRIMARY KEY (id, n)
);
CREATE TABLE exchanges (
	run    TEXT NOT NULL,
	id     TEXT NOT NULL,
	thread TEXT NOT NULL,
	at     INTEGER NOT NULL, -- microseconds
	body   BLOB NOT NULL,
	PRIMARY KEY (run, id)
);
CREATE INDEX exchanges_thread ON exchanges (thread);
CREATE INDEX exchanges_at ON exchanges (at);
