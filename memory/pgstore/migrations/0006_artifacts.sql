-- additive
-- Files that runs made, offered in their threads: bot.Artifact.
CREATE TABLE artifacts (
    run      text NOT NULL,
    n        int NOT NULL,                         -- their order, from 0
    thread   text NOT NULL,
    name     text NOT NULL,
    mime     text NOT NULL,
    data     bytea NOT NULL,
    PRIMARY KEY (run, n)
);
CREATE INDEX artifacts_thread ON artifacts (thread);
