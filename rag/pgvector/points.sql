-- The vectors in the type of the pgvector extension, if it is installed. {v} is
-- its schema. Each model has its own index, rag_index_points_hnsw_ID.
CREATE TABLE IF NOT EXISTS {s}.rag_index_points (
    model integer      NOT NULL REFERENCES {s}.rag_index_models ON DELETE CASCADE,
    key   bytea        NOT NULL,
    point {v}.vector   NOT NULL,
    PRIMARY KEY (model, key)
);
