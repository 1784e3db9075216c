-- The documents of a team with several replicas. Every change allocates the next
-- number of rag_log under its row lock, so that numbers become visible in order
-- and a follower's cursor never skips a change.
CREATE TABLE IF NOT EXISTS rag_log (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    id      text    NOT NULL, -- names this log: another name means another database
    number  bigint  NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS rag_documents (
    id       text   PRIMARY KEY,
    number   bigint NOT NULL UNIQUE, -- of the last change
    scope    text   NOT NULL,
    document jsonb,                  -- NULL: deleted
    chunks   bytea                   -- gzip of JSON
);
-- The cursor of each replica, written here before the replica stores its own. A
-- replica ahead of its row has applied changes that a restored backup lacks, and
-- whose numbers other changes reuse.
CREATE TABLE IF NOT EXISTS rag_followers (
    id      text        PRIMARY KEY,
    number  bigint      NOT NULL,
    at      timestamptz NOT NULL DEFAULT now()
);
