-- additive
-- Work that follows from an outcome: committed with it, done after it.
CREATE TABLE jobs (
    id       TEXT PRIMARY KEY,
    kind     TEXT NOT NULL,
    person   TEXT NOT NULL,                -- whom it concerns: goes when they want to be forgotten
    body     BLOB NOT NULL,
    at       INTEGER NOT NULL,
    due      INTEGER NOT NULL,             -- when it may be taken next
    attempts INTEGER NOT NULL,
    dead     INTEGER NOT NULL,
    why      TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX jobs_due ON jobs (due) WHERE dead = 0;
CREATE INDEX jobs_person ON jobs (person);

-- What is known about people: longterm.Record, the fold of its notes.
-- Kept by person, so that a search reads neighbours.
CREATE TABLE memories (
    id        TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    person    TEXT NOT NULL,
    scope     TEXT NOT NULL,
    kind      TEXT NOT NULL,
    key       TEXT NOT NULL,
    text      TEXT NOT NULL,
    data      BLOB NOT NULL,
    terms     TEXT NOT NULL,               -- one a line
    vector    BLOB,                        -- little-endian float32
    raw       REAL NOT NULL,
    samples   INTEGER NOT NULL,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    muted     INTEGER NOT NULL,
    uses      INTEGER NOT NULL,            -- rows of memory_uses, and the newest of them:
    used      INTEGER NOT NULL,
    used_in   TEXT NOT NULL,
    PRIMARY KEY (person, id)
) WITHOUT ROWID;

-- Which records hold a term: only these are read for a question.
CREATE TABLE memory_terms (
    person   TEXT NOT NULL,
    term     TEXT NOT NULL,
    record   TEXT NOT NULL,
    PRIMARY KEY (person, term, record)
) WITHOUT ROWID;
CREATE INDEX memory_terms_record ON memory_terms (record);

CREATE TABLE memory_notes (
    record   TEXT NOT NULL,
    session  TEXT NOT NULL,
    person   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    message  TEXT NOT NULL,
    data     BLOB NOT NULL,
    PRIMARY KEY (record, session)
) WITHOUT ROWID;
CREATE INDEX memory_notes_message ON memory_notes (message) WHERE message <> '';
CREATE INDEX memory_notes_at ON memory_notes (at);

CREATE TABLE memory_uses (
    record   TEXT NOT NULL,
    run      TEXT NOT NULL,
    scope    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (record, run)
) WITHOUT ROWID;

-- Up to when somebody wants to be forgotten: notes up to then do not come back. Record '' is all of
-- them. Person '' and a message: it was withdrawn.
CREATE TABLE memory_forgotten (
    person   TEXT NOT NULL,
    record   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (person, record)
) WITHOUT ROWID;
