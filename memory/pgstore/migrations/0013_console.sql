-- additive
-- What the console keeps: versions of workflows that admins saved (definition.Version; text '' removes the workflow), and
-- the prompts and replies of model calls (exchange.Row). Those go with their runs, also if a program that does not know
-- them deletes the run.
CREATE TABLE definitions (
	id       text COLLATE "C" NOT NULL,
	n        bigint NOT NULL,
	text     text NOT NULL,
	saver    text NOT NULL,
	at       timestamptz NOT NULL,
	restores bigint NOT NULL,
	PRIMARY KEY (id, n)
);
CREATE TABLE exchanges (
	run    text NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	id     text NOT NULL,
	thread text NOT NULL,
	at     timestamptz NOT NULL,
	body   bytea NOT NULL,
	PRIMARY KEY (run, id)
);
CREATE INDEX exchanges_thread ON exchanges (thread);
CREATE INDEX exchanges_at ON exchanges (at);
