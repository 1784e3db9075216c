package main

import (
	"context"
	"errors"
	"fmt"

	"maru/cmd/maru/embedding"
	"maru/config"
	"maru/rag/library"
	"maru/rag/local"
	"maru/rag/opensearch"
	"maru/rag/pgvector"
	"maru/rag/replica"
)

// openIndex opens the index of the documents that is configured.
func openIndex(ctx context.Context, b base, v embedding.Vectors) (library.Index, error) {
	d := b.cfg.Documents
	switch d.Index {
	case config.IndexPGVector:
		x, err := pgvector.Open(ctx, pgvector.Config{
			URL: indexURL(b.cfg), Threshold: d.Threshold, Embed: v.Embed, EmbedModel: v.Model,
			EmbedOld: v.Old, Log: b.log,
		})
		return x, explainMissingIndex(err, "PostgreSQL")
	case config.IndexOpenSearch:
		x, err := opensearch.Open(ctx, opensearch.Config{
			URL: indexURL(b.cfg), Name: d.IndexName, Threshold: d.Threshold, Embed: v.Embed, EmbedModel: v.Model, Log: b.log,
		})
		return x, explainMissingIndex(err, "OpenSearch")
	}
	return openLocal(ctx, b, local.Config{
		Dir: localIndex(b.cfg.Store), Threshold: d.Threshold, Embed: v.Embed, EmbedModel: v.Model,
		EmbedOld: v.Old, Log: b.log,
	})
}

// explainMissingIndex adds the remedy to the error of an index that does not open.
func explainMissingIndex(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("MARU_INDEX_URL: %w; check that %s runs there and accepts this login, or set MARU_INDEX=local", err, what)
}

// indexURL returns the address of a shared index: its own PostgreSQL or that of the record.
func indexURL(cfg config.Config) string {
	if url := cfg.Documents.IndexURL.Reveal(); url != "" || cfg.Documents.Index != config.IndexPGVector {
		return url
	}
	return cfg.Store.DatabaseURL.Reveal()
}

// indexName names the configured index for operators.
func indexName(cfg config.Config, index library.Index) string {
	switch x := index.(type) {
	case *pgvector.Index:
		if cfg.Model.Embedding.Model != "" && !x.Extension() {
			return "PostgreSQL without the pgvector extension"
		}
		return "PostgreSQL"
	case *opensearch.Index:
		return "OpenSearch"
	case *replica.Index:
		return "this replica's own index, following PostgreSQL"
	}
	return "the embedded index"
}

// openLocal opens this replica's embedded index of the documents. With a database it follows the documents of all
// replicas.
func openLocal(ctx context.Context, b base, lc local.Config) (library.Index, error) {
	own, err := local.Open(ctx, lc)
	if err != nil {
		return nil, explainEmbedded(b, err)
	}
	url := b.cfg.Store.DatabaseURL.Reveal()
	if url == "" {
		return own, nil
	}
	putAll := func(ctx context.Context, entries []replica.Entry) error {
		list := make([]local.Entry, len(entries))
		for i, e := range entries {
			list[i] = local.Entry(e)
		}
		return own.PutAll(ctx, list)
	}
	shared, err := replica.Open(ctx, replica.Config{URL: url, Local: own, PutAll: putAll, Log: b.log})
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}
	return shared, nil
}
