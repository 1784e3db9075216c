-- NULL in a time means none. Raw JSON that the store hands back byte for byte is bytea; what operators look at is json.

CREATE SEQUENCE lease_tokens;

-- One row a thread: what people see of it, its lease, and since when work waits.
CREATE TABLE threads (
    key      text PRIMARY KEY,             -- bot.Thread.Key
    platform text NOT NULL,
    team     text NOT NULL,
    channel  text NOT NULL,
    id       text NOT NULL,
    direct   boolean NOT NULL,
    known    boolean NOT NULL,             -- false: forgotten, kept only to refuse late writers
    title    text NOT NULL DEFAULT '',
    created  timestamptz NOT NULL,
    updated  timestamptz NOT NULL,
    since    timestamptz,                  -- arrival of the oldest pending item, NULL if none
    owner    text NOT NULL DEFAULT '',     -- '' if not leased
    token    bigint NOT NULL DEFAULT 0,    -- fencing token of the newest lease
    until    timestamptz NOT NULL DEFAULT '-infinity', -- end of the lease
    op       text NOT NULL DEFAULT ''      -- the claim that made the lease
) WITH (fillfactor = 70);
CREATE INDEX threads_place ON threads (platform, team, channel, updated) WHERE known;
CREATE INDEX threads_waiting ON threads (since) WHERE since IS NOT NULL;

-- The inbox. A done item keeps its id, so that a late copy is known, but not its body.
CREATE TABLE items (
    seq      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- arrival
    id       text NOT NULL UNIQUE,
    thread   text NOT NULL,
    kind     text NOT NULL,
    ordlen   integer NOT NULL,
    ord      text COLLATE "C" NOT NULL,
    body     bytea,
    at       timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    state    smallint NOT NULL DEFAULT 0,  -- 0 pending, 1 done, 2 dead
    why      text NOT NULL DEFAULT '',
    ended    timestamptz,
    op       text NOT NULL                 -- the call that put it
) WITH (fillfactor = 80);
CREATE INDEX items_next ON items (thread, state, ordlen, ord, seq);
CREATE INDEX items_pending ON items (at) WHERE state = 0;
CREATE INDEX items_ended ON items (ended) WHERE state <> 0;

CREATE TABLE replies (
    run      text PRIMARY KEY,
    thread   text NOT NULL,
    platform text NOT NULL,
    item     text NOT NULL,
    ref      json NOT NULL,                -- bot.Ref
    state    text NOT NULL,
    card     bytea,
    at       timestamptz NOT NULL
);
CREATE INDEX replies_thread ON replies (thread);
CREATE INDEX replies_open ON replies (platform, at) WHERE state = 'open';

-- Which reply a message of the platform belongs to.
CREATE TABLE reply_messages (
    platform text NOT NULL,
    channel  text NOT NULL,
    message  text NOT NULL,
    run      text NOT NULL REFERENCES replies ON DELETE CASCADE,
    PRIMARY KEY (platform, channel, message, run)
);
CREATE INDEX reply_messages_run ON reply_messages (run);

CREATE TABLE entries (
    seq      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread   text NOT NULL,
    id       text NOT NULL,
    own      boolean NOT NULL,
    author   text NOT NULL,
    person   text NOT NULL,
    text     text NOT NULL,
    run      text NOT NULL,
    sources  bytea,
    at       timestamptz NOT NULL,
    deleted  boolean NOT NULL,
    UNIQUE (thread, id)
);
CREATE INDEX entries_order ON entries (thread, at, seq);

CREATE TABLE runs (
    id       text PRIMARY KEY,
    thread   text NOT NULL,
    agent    text NOT NULL,
    person   text NOT NULL,
    status   text NOT NULL,
    started  timestamptz,
    ended    timestamptz,
    usage    bytea,
    trace    bytea
);
CREATE INDEX runs_thread ON runs (thread, started);

CREATE TABLE approvals (
    id        text PRIMARY KEY,
    kind      text NOT NULL,
    thread    text NOT NULL,
    run       text NOT NULL,
    interrupt text NOT NULL,
    digest    text NOT NULL,
    payload   bytea,
    allowed   text[] NOT NULL,
    ref       json NOT NULL,
    state     text NOT NULL,
    decision  bytea,
    decider   text NOT NULL DEFAULT '',
    created   timestamptz NOT NULL,
    expires   timestamptz,
    decided   timestamptz,
    op        text NOT NULL DEFAULT ''     -- the call that decided it
);
CREATE INDEX approvals_pending ON approvals (created) WHERE state = 'pending';
CREATE INDEX approvals_thread ON approvals (thread);

CREATE TABLE settings (
    place    text NOT NULL,
    key      text NOT NULL,
    value    json NOT NULL,
    setter   text NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (place, key)
);

-- Append-only: a row is never changed, and its hash covers the one before it of the same team.
CREATE SEQUENCE audit_seq;
CREATE TABLE audit (
    seq      bigint PRIMARY KEY,
    at       timestamptz NOT NULL,
    team     text NOT NULL,
    who      text NOT NULL,
    what     text NOT NULL,
    detail   json,
    prev     text NOT NULL,
    hash     text NOT NULL,
    op       text NOT NULL UNIQUE          -- the call that appended it
);
CREATE INDEX audit_team ON audit (team, seq);
CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only();

CREATE TABLE notes (
    key      text PRIMARY KEY,
    value    text NOT NULL
);

-- The logs of agent/graph; inserting the key is the compare-and-swap.
CREATE TABLE log (
    thread   text COLLATE "C" NOT NULL,
    ns       text NOT NULL,
    seq      bigint NOT NULL,
    kind     text NOT NULL,
    step     integer NOT NULL,
    turn     text NOT NULL,
    plan     text NOT NULL,
    at       bigint NOT NULL,              -- nanoseconds since 1970, 0 for none
    fence    bigint NOT NULL,              -- highest fencing token seen up to here
    body     bytea,
    PRIMARY KEY (thread, ns, seq)
);
CREATE INDEX log_snapshots ON log (thread, ns, seq) WHERE kind = 'snapshot';
