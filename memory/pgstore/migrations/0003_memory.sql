-- additive
-- Work that follows from an outcome: committed with it, done after it.
CREATE TABLE jobs (
    id       text PRIMARY KEY,
    kind     text NOT NULL,
    person   text NOT NULL,                -- whom it concerns: goes when they want to be forgotten
    body     bytea NOT NULL,
    at       timestamptz NOT NULL,
    due      timestamptz NOT NULL,         -- when it may be taken next
    attempts integer NOT NULL DEFAULT 0,
    dead     boolean NOT NULL DEFAULT false,
    why      text NOT NULL DEFAULT ''
) WITH (fillfactor = 70);
CREATE INDEX jobs_due ON jobs (due) WHERE NOT dead;
CREATE INDEX jobs_person ON jobs (person);

-- What is known about people: longterm.Record, the fold of its notes. Where the extension pgvector is, the
-- program adds a column "embedding".
CREATE TABLE memories (
    id        text PRIMARY KEY,
    workspace text NOT NULL,
    person    text NOT NULL,
    scope     text NOT NULL,
    kind      text NOT NULL,
    key       text NOT NULL,
    text      text NOT NULL,
    data      bytea NOT NULL,
    terms     text[] NOT NULL,
    raw       double precision NOT NULL,
    samples   integer NOT NULL,
    first     timestamptz NOT NULL,
    last      timestamptz NOT NULL,
    muted     boolean NOT NULL DEFAULT false,
    uses      integer NOT NULL DEFAULT 0,  -- rows of memory_uses, and the newest of them:
    used      timestamptz,
    used_in   text NOT NULL DEFAULT ''
);
CREATE INDEX memories_person ON memories (person, last);

CREATE TABLE memory_notes (
    record   text NOT NULL,
    session  text COLLATE "C" NOT NULL,
    person   text NOT NULL,
    at       timestamptz NOT NULL,
    message  text NOT NULL,
    data     bytea NOT NULL,
    PRIMARY KEY (record, session)
);
CREATE INDEX memory_notes_message ON memory_notes (message) WHERE message <> '';
CREATE INDEX memory_notes_at ON memory_notes (at);

CREATE TABLE memory_uses (
    record   text NOT NULL,
    run      text NOT NULL,
    scope    text NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (record, run)
);

-- Up to when somebody wants to be forgotten: notes up to then do not come back. Record '' is all of
-- them. Person '' and a message: it was withdrawn.
CREATE TABLE memory_forgotten (
    person   text NOT NULL,
    record   text NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (person, record)
);
