package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"maru/agent/llm"
	"maru/agent/metering"
	"maru/bot"
	"maru/config"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/local"
	"maru/rag/opensearch"
	"maru/rag/pgvector"
	"maru/rag/replica"
)

// vectors are how an index embeds; its zero value searches by keywords alone.
type vectors struct {
	embed rag.Embed
	model string
	old   func(model string) rag.Embed // a model that was configured before
}

func (a *app) newVectors() (vectors, error) {
	embedder, err := a.newEmbedder(bot.SpentIndexing)
	if err != nil || embedder == nil {
		return vectors{}, err
	}
	old := func(model string) rag.Embed {
		before, err := a.embedderOf(model, bot.SpentIndexing)
		if err != nil {
			return nil
		}
		return passagesOf(before)
	}
	return vectors{passagesOf(embedder), embedder.Name(), old}, nil
}

// passagesOf is how an embedder embeds passages and questions of an index: one that
// is metered charges their channels.
func passagesOf(e llm.Embedder) rag.Embed {
	if metered, ok := e.(*metering.Embedder); ok {
		return metered.EmbedPassages
	}
	return func(ctx context.Context, texts, _ []string) ([][]float32, error) { return e.Embed(ctx, texts) }
}

// openIndex opens the index of the documents that is configured.
func (a *app) openIndex(ctx context.Context) (library.Index, error) {
	v, err := a.newVectors()
	if err != nil {
		return nil, err
	}
	d := a.cfg.Documents
	switch d.Index {
	case config.IndexPGVector:
		x, err := pgvector.Open(ctx, pgvector.Config{
			URL: a.indexURL(), Threshold: d.Threshold, Embed: v.embed, EmbedModel: v.model,
			EmbedOld: v.old, Log: a.log,
		})
		return x, notThere(err, "PostgreSQL")
	case config.IndexOpenSearch:
		x, err := opensearch.Open(ctx, opensearch.Config{URL: a.indexURL(), Threshold: d.Threshold, Embed: v.embed, EmbedModel: v.model, Log: a.log})
		return x, notThere(err, "OpenSearch")
	}
	return a.openLocal(ctx, local.Config{
		Dir: a.localIndex(), Threshold: d.Threshold, Embed: v.embed, EmbedModel: v.model,
		EmbedOld: v.old, Log: a.log,
	})
}

// localIndex is where the program's own index lies.
func (a *app) localIndex() string { return filepath.Join(a.cfg.Store.DataDir, "index") }

// notThere says what can be done about an index that does not open.
func notThere(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("MARU_INDEX_URL: %w; see that %s runs there and takes this login, or set MARU_INDEX=local", err, what)
}

// indexURL is where a shared index is: a PostgreSQL of its own or that of the record.
func (a *app) indexURL() string {
	if url := a.cfg.Documents.IndexURL.Reveal(); url != "" || a.cfg.Documents.Index != config.IndexPGVector {
		return url
	}
	return a.cfg.Store.DatabaseURL.Reveal()
}

// indexName says which index is used, for people who operate it.
func (a *app) indexName(index library.Index) string {
	switch x := index.(type) {
	case *pgvector.Index:
		if a.cfg.Model.Embeddings() != "" && !x.Extension() {
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

// openLocal opens this replica's own index of the documents. With a database it
// follows those of all replicas.
func (a *app) openLocal(ctx context.Context, lc local.Config) (library.Index, error) {
	own, err := local.Open(ctx, lc)
	if err != nil {
		return nil, err
	}
	url := a.cfg.Store.DatabaseURL.Reveal()
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
	shared, err := replica.Open(ctx, replica.Config{URL: url, Local: own, PutAll: putAll, Log: a.log})
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}
	return shared, nil
}
