-- The document index in PostgreSQL. {s} is the schema.

-- What a scope holds, counted with every change. version is a new one after each:
-- counts of terms that were read at a version hold as long as it stands.
CREATE TABLE IF NOT EXISTS {s}.rag_index_scopes (
    scope    text   PRIMARY KEY,
    version  bigint NOT NULL,
    passages bigint NOT NULL,
    tokens   bigint NOT NULL -- terms of all passages
);

CREATE TABLE IF NOT EXISTS {s}.rag_index_documents (
    id     text        PRIMARY KEY,
    scope  text        NOT NULL,
    added  timestamptz NOT NULL,
    tags   text[]      NOT NULL, -- as rag.Tags writes them
    record bytea       NOT NULL  -- rag.Document as JSON
);
CREATE INDEX IF NOT EXISTS rag_index_documents_scope ON {s}.rag_index_documents (scope, added DESC, id);

-- terms are hashes of what package rag makes of the text, each once; times says
-- how often each occurs. names are those of them that name an article.
CREATE TABLE IF NOT EXISTS {s}.rag_index_passages (
    number   bigint     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document text       NOT NULL REFERENCES {s}.rag_index_documents ON DELETE CASCADE,
    scope    text       NOT NULL,
    position integer    NOT NULL, -- in the document, from 0
    id       text       NOT NULL,
    length   integer    NOT NULL, -- in terms
    key      bytea      NOT NULL, -- of the text that is embedded: half its SHA-256
    terms    bigint[]   NOT NULL,
    times    smallint[] NOT NULL,
    names    bigint[]   NOT NULL,
    record   bytea      NOT NULL, -- rag.Chunk as JSON
    analyser integer    NOT NULL DEFAULT 1, -- rag.AnalyzerVersion of the terms; who knows none writes those of 1
    UNIQUE (document, position)
);
CREATE INDEX IF NOT EXISTS rag_index_passages_analyser ON {s}.rag_index_passages (analyser);
CREATE INDEX IF NOT EXISTS rag_index_passages_terms ON {s}.rag_index_passages USING gin (terms);
CREATE INDEX IF NOT EXISTS rag_index_passages_names ON {s}.rag_index_passages USING gin (names);
CREATE INDEX IF NOT EXISTS rag_index_passages_scope ON {s}.rag_index_passages (scope, key);
CREATE INDEX IF NOT EXISTS rag_index_passages_key ON {s}.rag_index_passages (key);

-- Embedding models: the one whose vectors serve, and the one that is at work to
-- take over. One program at a time works for a model, while its lease lasts.
CREATE TABLE IF NOT EXISTS {s}.rag_index_models (
    id      integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name    text        NOT NULL UNIQUE,
    serving boolean     NOT NULL DEFAULT false,
    size    integer     NOT NULL DEFAULT 0, -- values of a vector; 0: none yet
    owner   text        NOT NULL DEFAULT '',
    until   timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE UNIQUE INDEX IF NOT EXISTS rag_index_models_serving ON {s}.rag_index_models (serving) WHERE serving;

-- Vectors by the text they stand for, so that no text is embedded twice: scale
-- and bytes as package vec writes them, nothing for a text without direction.
CREATE TABLE IF NOT EXISTS {s}.rag_index_vectors (
    model  integer NOT NULL REFERENCES {s}.rag_index_models ON DELETE CASCADE,
    key    bytea   NOT NULL,
    vector bytea   NOT NULL,
    PRIMARY KEY (model, key)
);
