-- additive
-- Sources that are kept in sync: source.Row and source.Entry. body and progress are JSON; the other columns are what
-- rows are looked up by.
CREATE TABLE sources (
	name     TEXT PRIMARY KEY,
	version  INTEGER NOT NULL,
	team     TEXT NOT NULL,
	body     BLOB NOT NULL,
	progress BLOB NOT NULL,
	owner    TEXT NOT NULL DEFAULT '',
	until    INTEGER NOT NULL DEFAULT 0 -- microseconds
);
CREATE TABLE source_items (
	source TEXT NOT NULL,
	id     TEXT NOT NULL,
	sweep  INTEGER NOT NULL,
	state  TEXT NOT NULL,
	due    INTEGER NOT NULL, -- microseconds
	body   BLOB NOT NULL,
	PRIMARY KEY (source, id)
) WITHOUT ROWID;
CREATE INDEX source_items_state ON source_items (source, state);
