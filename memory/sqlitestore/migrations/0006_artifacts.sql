-- additive
-- Files that runs made, offered in their threads: bot.Artifact.
CREATE TABLE artifacts (
    run      TEXT NOT NULL,
    n        INTEGER NOT NULL,             -- their order, from 0
    thread   TEXT NOT NULL,
    name     TEXT NOT NULL,
    mime     TEXT NOT NULL,
    data     BLOB NOT NULL,
    PRIMARY KEY (run, n)
);
CREATE INDEX artifacts_thread ON artifacts (thread);
