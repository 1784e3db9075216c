-- The document index in PostgreSQL. {s} is the schema.

-- Statistics of each scope, updated in every change's transaction. Each change
-- sets a new version: cached term counts are valid for the version they were read at.
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

-- terms are hashes of the distinct terms of package rag's analysis; times are their
-- frequencies. names are the name keys of articles.
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

-- Embedding models: the serving one, and the one being embedded to replace it.
-- A lease lets one program at a time embed for a model.
CREATE TABLE IF NOT EXISTS {s}.rag_index_models (
    id      integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name    text        NOT NULL UNIQUE,
    serving boolean     NOT NULL DEFAULT false,
    size    integer     NOT NULL DEFAULT 0, -- values of a vector; 0: none yet
    owner   text        NOT NULL DEFAULT '',
    until   timestamptz NOT NULL DEFAULT '-infinity'
);
-- What questions taught about the model: rag.Blend as JSON.
ALTER TABLE {s}.rag_index_models ADD COLUMN IF NOT EXISTS learned jsonb;
CREATE UNIQUE INDEX IF NOT EXISTS rag_index_models_serving ON {s}.rag_index_models (serving) WHERE serving;

-- Vectors by text key, so that no text is embedded twice: scale and bytes as
-- package vec writes them, empty for a text without a direction.
CREATE TABLE IF NOT EXISTS {s}.rag_index_vectors (
    model  integer NOT NULL REFERENCES {s}.rag_index_models ON DELETE CASCADE,
    key    bytea   NOT NULL,
    vector bytea   NOT NULL,
    PRIMARY KEY (model, key)
);
