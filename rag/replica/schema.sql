-- The documents of a team that runs several replicas. Every change takes the next
-- number of rag_log under its row lock, so that numbers become visible in order
-- and a follower that has read up to a number has missed nothing below it.
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
-- How far each replica has followed, noted here before it is noted there. A replica
-- that is further than what stands here has followed changes that a restored backup
-- does not have, and whose numbers others have now.
CREATE TABLE IF NOT EXISTS rag_followers (
    id      text        PRIMARY KEY,
    number  bigint      NOT NULL,
    at      timestamptz NOT NULL DEFAULT now()
);
