-- additive
-- What runs cost, by day, channel, person and agent: bot.Used.
CREATE TABLE usage (
    day     text NOT NULL,
    team    text NOT NULL,
    channel text NOT NULL,
    person  text NOT NULL,
    agent   text NOT NULL,
    runs    bigint NOT NULL,
    failed  bigint NOT NULL,
    took    bigint NOT NULL,             -- microseconds
    calls   bigint NOT NULL,
    input   bigint NOT NULL,             -- tokens
    output  bigint NOT NULL,
    cached  bigint NOT NULL,
    cost    double precision NOT NULL,
    PRIMARY KEY (team, day, channel, person, agent)
);
