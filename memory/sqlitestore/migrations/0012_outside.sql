-- additive
-- Programs that work in a person's name: outside.Token and outside.Filed. body is their JSON; the other columns are what
-- rows are looked up by.
CREATE TABLE outside_tokens (
	id      TEXT PRIMARY KEY,
	hash    TEXT NOT NULL UNIQUE,
	team    TEXT NOT NULL,
	owner   TEXT NOT NULL,
	created INTEGER NOT NULL, -- microseconds
	expires INTEGER NOT NULL, -- microseconds
	body    BLOB NOT NULL
);
CREATE INDEX outside_tokens_owner ON outside_tokens (team, owner);
CREATE TABLE outside_requests (
	id       TEXT PRIMARY KEY,
	team     TEXT NOT NULL,
	owner    TEXT NOT NULL,
	key      TEXT NOT NULL,
	contents TEXT NOT NULL,
	thread   TEXT NOT NULL,
	receipt  TEXT NOT NULL DEFAULT '',
	body     BLOB NOT NULL
);
CREATE UNIQUE INDEX outside_requests_key ON outside_requests (team, owner, key);
CREATE INDEX outside_requests_thread ON outside_requests (thread);
