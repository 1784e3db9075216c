-- additive
-- Approvals that need several people, and when each is looked after next.
ALTER TABLE approvals
    ADD COLUMN needs  int NOT NULL DEFAULT 0,
    ADD COLUMN agreed json NOT NULL DEFAULT '[]',  -- list of bot.Agreement
    ADD COLUMN due    timestamptz;
-- brief: only what waits for people
UPDATE approvals SET due = expires WHERE state = 'pending';
-- brief: only what waits for people
CREATE INDEX approvals_due ON approvals (due) WHERE state = 'pending';

-- When the logs of a thread were last shortened. No index: it is looked for
-- rarely, and every message would pay for one.
ALTER TABLE threads ADD COLUMN kept timestamptz NOT NULL DEFAULT '-infinity';

-- Threads whose worker is asked to stop.
CREATE TABLE stops (
    thread   text PRIMARY KEY,
    token    bigint NOT NULL,                      -- of the lease that is meant
    why      text NOT NULL
);

-- What people thought of an answer.
CREATE TABLE ratings (
    run      text NOT NULL,
    who      text NOT NULL,
    thread   text NOT NULL,
    vote     int NOT NULL,                         -- 1 or -1
    at       timestamptz NOT NULL,
    PRIMARY KEY (run, who)
);
CREATE INDEX ratings_thread ON ratings (thread);
