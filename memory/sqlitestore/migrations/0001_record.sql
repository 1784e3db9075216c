-- Times are microseconds since 1970 UTC, 0 for none.

-- One row a thread: what people see of it, its lease, and since when work waits.
CREATE TABLE threads (
    key      TEXT PRIMARY KEY,             -- bot.Thread.Key
    platform TEXT NOT NULL,
    team     TEXT NOT NULL,
    channel  TEXT NOT NULL,
    id       TEXT NOT NULL,
    direct   INTEGER NOT NULL,
    known    INTEGER NOT NULL,             -- 0: forgotten, kept only to refuse late writers
    title    TEXT NOT NULL,
    created  INTEGER NOT NULL,
    updated  INTEGER NOT NULL,
    since    INTEGER,                      -- arrival of the oldest pending item, NULL if none
    owner    TEXT NOT NULL,                -- '' if not leased
    token    INTEGER NOT NULL,             -- fencing token of the newest lease
    until    INTEGER NOT NULL              -- end of the lease
) WITHOUT ROWID;
CREATE INDEX threads_place ON threads (platform, team, channel, updated) WHERE known = 1;
CREATE INDEX threads_waiting ON threads (since) WHERE since IS NOT NULL;

-- The inbox. A done item keeps its id, so that a late copy is known, but not its body.
CREATE TABLE items (
    seq      INTEGER PRIMARY KEY,          -- arrival
    id       TEXT NOT NULL UNIQUE,
    thread   TEXT NOT NULL,
    kind     TEXT NOT NULL,
    ordlen   INTEGER NOT NULL,
    ord      TEXT NOT NULL,
    body     BLOB,
    at       INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    state    INTEGER NOT NULL,             -- 0 pending, 1 done, 2 dead
    why      TEXT NOT NULL,
    ended    INTEGER NOT NULL
);
CREATE INDEX items_next ON items (thread, state, ordlen, ord, seq);
CREATE INDEX items_pending ON items (seq) WHERE state = 0;
CREATE INDEX items_ended ON items (ended) WHERE state <> 0;

CREATE TABLE replies (
    run      TEXT PRIMARY KEY,
    thread   TEXT NOT NULL,
    platform TEXT NOT NULL,
    item     TEXT NOT NULL,
    ref      BLOB NOT NULL,                -- bot.Ref
    state    TEXT NOT NULL,
    card     BLOB,
    at       INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX replies_thread ON replies (thread);
CREATE INDEX replies_open ON replies (platform, at) WHERE state = 'open';

-- Which reply a message of the platform belongs to.
CREATE TABLE reply_messages (
    platform TEXT NOT NULL,
    channel  TEXT NOT NULL,
    message  TEXT NOT NULL,
    run      TEXT NOT NULL,
    PRIMARY KEY (platform, channel, message, run)
) WITHOUT ROWID;
CREATE INDEX reply_messages_run ON reply_messages (run);

CREATE TABLE entries (
    seq      INTEGER PRIMARY KEY,
    thread   TEXT NOT NULL,
    id       TEXT NOT NULL,
    own      INTEGER NOT NULL,
    author   TEXT NOT NULL,
    user     TEXT NOT NULL,
    text     TEXT NOT NULL,
    run      TEXT NOT NULL,
    sources  BLOB,
    at       INTEGER NOT NULL,
    deleted  INTEGER NOT NULL,
    UNIQUE (thread, id)
);
CREATE INDEX entries_order ON entries (thread, at, seq);

CREATE TABLE runs (
    id       TEXT PRIMARY KEY,
    thread   TEXT NOT NULL,
    agent    TEXT NOT NULL,
    user     TEXT NOT NULL,
    status   TEXT NOT NULL,
    started  INTEGER NOT NULL,
    ended    INTEGER NOT NULL,
    usage    BLOB,
    trace    BLOB
);
CREATE INDEX runs_thread ON runs (thread, started);

CREATE TABLE approvals (
    id        TEXT PRIMARY KEY,
    kind      TEXT NOT NULL,
    thread    TEXT NOT NULL,
    run       TEXT NOT NULL,
    interrupt TEXT NOT NULL,
    digest    TEXT NOT NULL,
    payload   BLOB,
    allowed   BLOB NOT NULL,               -- JSON list of platform user ids
    ref       BLOB NOT NULL,               -- bot.Ref
    state     TEXT NOT NULL,
    decision  BLOB,
    decider   TEXT NOT NULL,
    created   INTEGER NOT NULL,
    expires   INTEGER NOT NULL,
    decided   INTEGER NOT NULL
);
CREATE INDEX approvals_pending ON approvals (created) WHERE state = 'pending';
CREATE INDEX approvals_thread ON approvals (thread);

CREATE TABLE settings (
    place    TEXT NOT NULL,
    key      TEXT NOT NULL,
    value    BLOB NOT NULL,
    setter   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (place, key)
) WITHOUT ROWID;

-- Append-only: a row is never changed, and its hash covers the one before it of the same team.
CREATE TABLE audit (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    team     TEXT NOT NULL,
    who      TEXT NOT NULL,
    what     TEXT NOT NULL,
    detail   BLOB,
    prev     TEXT NOT NULL,
    hash     TEXT NOT NULL
);
CREATE INDEX audit_team ON audit (team, seq);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TABLE notes (
    key      TEXT PRIMARY KEY,
    value    TEXT NOT NULL
) WITHOUT ROWID;

-- The logs of agent/graph; inserting the key is the compare-and-swap.
CREATE TABLE log (
    thread   TEXT NOT NULL,
    ns       TEXT NOT NULL,
    seq      INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    step     INTEGER NOT NULL,
    turn     TEXT NOT NULL,
    plan     TEXT NOT NULL,
    at       INTEGER NOT NULL,             -- nanoseconds
    fence    INTEGER NOT NULL,             -- highest fencing token seen up to here
    body     BLOB,
    PRIMARY KEY (thread, ns, seq)
) WITHOUT ROWID;
CREATE INDEX log_snapshots ON log (thread, ns, seq) WHERE kind = 'snapshot';

-- Fencing tokens are handed out from memory in blocks; next is above all of them.
CREATE TABLE tokens (next INTEGER NOT NULL);
INSERT INTO tokens (next) VALUES (1);
