-- additive
-- Schedules: calendar.Row. body is its JSON; the other columns are what rows are looked up by. op names the last write,
-- so that a try after a lost reply knows its own.
CREATE TABLE schedules (
	id      text PRIMARY KEY,
	version bigint NOT NULL,
	state   text NOT NULL,
	due     timestamptz, -- null unless state is 'active'
	team    text NOT NULL,
	channel text NOT NULL,
	thread  text NOT NULL,
	owner   text NOT NULL,
	source  text NOT NULL,
	created timestamptz NOT NULL,
	body    bytea NOT NULL,
	op      text NOT NULL DEFAULT ''
);
CREATE INDEX schedules_due ON schedules (due) WHERE state = 'active';
CREATE INDEX schedules_channel ON schedules (channel);
CREATE INDEX schedules_owner ON schedules (team, owner);
