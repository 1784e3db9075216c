-- additive
-- Approvals that need several people, and when each is looked after next.
ALTER TABLE approvals ADD COLUMN needs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN agreed BLOB NOT NULL DEFAULT '[]';  -- JSON list of bot.Agreement
ALTER TABLE approvals ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
-- brief: only what waits for people
UPDATE approvals SET due = expires WHERE state = 'pending';
-- brief: only what waits for people
CREATE INDEX approvals_due ON approvals (due) WHERE state = 'pending' AND due > 0;

-- When the logs of a thread were last shortened.
-- No index: it is looked for rarely, and every message would pay for one.
ALTER TABLE threads ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;

-- What people thought of an answer.
CREATE TABLE ratings (
    run      TEXT NOT NULL,
    who      TEXT NOT NULL,
    thread   TEXT NOT NULL,
    vote     INTEGER NOT NULL,             -- 1 or -1
    at       INTEGER NOT NULL,
    PRIMARY KEY (run, who)
) WITHOUT ROWID;
CREATE INDEX ratings_thread ON ratings (thread);
