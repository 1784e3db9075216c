package main

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"

	"maru/config"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
	"maru/rag/opensearch"
	"maru/rag/pgvector"
	"maru/rag/vec"
)

// setIndex is an index of one measurement.
type setIndex interface {
	rag.Index
	vec.Covered
}

// dropped is an index on a server that goes with its measurement.
type dropped struct {
	setIndex

	drop func(ctx context.Context) error // closes it, too
}

// Close drops the index, also where the measurement was interrupted.
func (d dropped) Close() error { return d.drop(context.Background()) }

// openSetIndex opens an empty index of the configured kind, on its server under a name of its own; the embedded one
// keeps nothing.
func openSetIndex(ctx context.Context, b base, v vectors) (setIndex, error) {
	threshold, name := b.cfg.Documents.Threshold, "maru-eval-"+strings.ToLower(rand.Text())
	switch b.cfg.Documents.Index {
	case config.IndexPGVector:
		x, err := pgvector.Open(ctx, pgvector.Config{URL: indexURL(b.cfg), Schema: name, Threshold: threshold, Embed: v.embed, EmbedModel: v.model, Log: b.log})
		if err != nil {
			return nil, explainMissingIndex(err, "PostgreSQL")
		}
		return dropped{x, x.Drop}, nil
	case config.IndexOpenSearch:
		x, err := opensearch.Open(ctx, opensearch.Config{URL: indexURL(b.cfg), Name: name, Threshold: threshold, Embed: v.embed, EmbedModel: v.model, Log: b.log})
		if err != nil {
			return nil, explainMissingIndex(err, "OpenSearch")
		}
		return dropped{x, x.Drop}, nil
	}
	return local.Open(ctx, local.Config{Threshold: threshold, Embed: v.embed, EmbedModel: v.model, Log: b.log})
}

// writers is the number of documents written at a time to an index on a server.
const writers = 16

// putInto stores a set's passages in an index.
func putInto(index rag.Index) eval.Put {
	return func(ctx context.Context, docs []rag.Document, chunks [][]rag.Chunk) error {
		if own, ok := index.(*local.Index); ok {
			entries := make([]local.Entry, len(docs))
			for i := range docs {
				entries[i] = local.Entry{Document: docs[i], Chunks: chunks[i]}
			}
			return own.PutAll(ctx, entries)
		}
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := w; i < len(docs) && ctx.Err() == nil; i += writers {
					if err := index.Put(ctx, docs[i], chunks[i]); err != nil {
						stop(err)
					}
				}
			})
		}
		all.Wait()
		return context.Cause(ctx)
	}
}
