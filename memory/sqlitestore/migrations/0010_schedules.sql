-- additive
-- Schedules: calendar.Row. body is its JSON; the other columns are what rows are looked up by.
CREATE TABLE schedules (
	id      TEXT PRIMARY KEY,
	version INTEGER NOT NULL,
	state   TEXT NOT NULL,
	due     INTEGER NOT NULL, -- microseconds, 0 unless state is 'active'
	team    TEXT NOT NULL,
	channel TEXT NOT NULL,
	thread  TEXT NOT NULL,
	owner   TEXT NOT NULL,
	source  TEXT NOT NULL,
	created INTEGER NOT NULL,
	body    BLOB NOT NULL
);
CREATE INDEX schedules_due ON schedules (due) WHERE state = 'active';
CREATE INDEX schedules_channel ON schedules (channel);
CREATE INDEX schedules_owner ON schedules (team, owner);
