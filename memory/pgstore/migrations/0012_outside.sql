-- additive
-- Programs that work in a person's name: outside.Token and outside.Filed. body is their JSON; the other columns are what
-- rows are looked up by. op names the write that made a row, so that a try after a lost reply knows its own.
CREATE TABLE outside_tokens (
	id      text PRIMARY KEY,
	hash    text NOT NULL UNIQUE,
	team    text NOT NULL,
	owner   text NOT NULL,
	created timestamptz NOT NULL,
	expires timestamptz NOT NULL,
	body    bytea NOT NULL,
	op      text NOT NULL DEFAULT ''
);
CREATE INDEX outside_tokens_owner ON outside_tokens (team, owner);
CREATE TABLE outside_requests (
	id       text PRIMARY KEY,
	team     text NOT NULL,
	owner    text NOT NULL,
	key      text NOT NULL,
	contents text NOT NULL,
	thread   text NOT NULL,
	receipt  text NOT NULL DEFAULT '',
	body     bytea NOT NULL,
	op       text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX outside_requests_key ON outside_requests (team, owner, key);
CREATE INDEX outside_requests_thread ON outside_requests (thread);
