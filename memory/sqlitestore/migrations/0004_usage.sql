-- additive
-- What runs cost, by day, channel, person and agent: bot.Used.
CREATE TABLE usage (
    day     TEXT NOT NULL,
    team    TEXT NOT NULL,
    channel TEXT NOT NULL,
    person  TEXT NOT NULL,
    agent   TEXT NOT NULL,
    runs    INTEGER NOT NULL,
    failed  INTEGER NOT NULL,
    took    INTEGER NOT NULL,             -- microseconds
    calls   INTEGER NOT NULL,
    input   INTEGER NOT NULL,             -- tokens
    output  INTEGER NOT NULL,
    cached  INTEGER NOT NULL,
    cost    REAL NOT NULL,
    PRIMARY KEY (team, day, channel, person, agent)
) WITHOUT ROWID;
