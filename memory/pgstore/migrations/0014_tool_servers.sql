-- additive
-- MCP servers that admins add: attached.Row. body is JSON; the other columns are what rows are looked up by. op names the
-- last write of a row, so that a try after a lost reply knows its own.
CREATE TABLE tool_servers (
	name    text COLLATE "C" PRIMARY KEY,
	version bigint NOT NULL,
	team    text NOT NULL,
	body    bytea NOT NULL,
	op      text NOT NULL DEFAULT ''
);
