-- The same vectors for the pgvector extension, where it is there. {v} is its
-- schema. Each model has an index of its own, rag_index_points_hnsw_ID.
CREATE TABLE IF NOT EXISTS {s}.rag_index_points (
    model integer      NOT NULL REFERENCES {s}.rag_index_models ON DELETE CASCADE,
    key   bytea        NOT NULL,
    point {v}.vector   NOT NULL,
    PRIMARY KEY (model, key)
);
