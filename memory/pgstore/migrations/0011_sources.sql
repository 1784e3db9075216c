-- additive
-- Sources that are kept in sync: source.Row and source.Entry. body and progress are JSON; the other columns are what
-- rows are looked up by. op names the last write of a row's body, so that a try after a lost reply knows its own.
CREATE TABLE sources (
	name     text PRIMARY KEY,
	version  bigint NOT NULL,
	team     text NOT NULL,
	body     bytea NOT NULL,
	progress bytea NOT NULL,
	owner    text NOT NULL DEFAULT '',
	until    timestamptz,
	op       text NOT NULL DEFAULT ''
);
CREATE TABLE source_items (
	source text COLLATE "C" NOT NULL,
	id     text COLLATE "C" NOT NULL,
	sweep  bigint NOT NULL,
	state  text NOT NULL,
	due    timestamptz, -- null: at once
	body   bytea NOT NULL,
	PRIMARY KEY (source, id)
);
CREATE INDEX source_items_state ON source_items (source, state);
