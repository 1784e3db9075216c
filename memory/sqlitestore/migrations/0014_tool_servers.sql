-- additive
-- MCP servers that admins add: attached.Row. body is JSON; the other columns are what rows are looked up by.
CREATE TABLE tool_servers (
	name    TEXT PRIMARY KEY,
	version INTEGER NOT NULL,
	team    TEXT NOT NULL,
	body    BLOB NOT NULL
);
