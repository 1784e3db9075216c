package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"maru/agent/metering"
	"maru/phrase"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/library"
	"maru/rag/local"
	"maru/rag/vec"
)

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

// files returns a library in memory that has these files alone, in one scope, with their vectors.
func (p Program) files(ctx context.Context, meter *metering.Meter, scope string, paths []string) (*library.Library, error) {
	lib, index, err := p.Empty(ctx, meter)
	if err != nil {
		return nil, err
	}
	return lib, Fill(ctx, lib, index, scope, paths)
}

// Fill adds files and folders to a library in memory, in one scope, with their vectors.
func Fill(ctx context.Context, lib *library.Library, index *local.Index, scope string, paths []string) error {
	files, err := library.FindFiles(paths)
	if err != nil {
		return err
	}
	as, done := lib.Batch(library.Filing{Scope: scope, By: library.ByOperator}, files...)
	defer done()
	for _, f := range files {
		if _, _, err := lib.AddFile(ctx, as, f); err != nil {
			return fmt.Errorf("%s: %s", f.Path, library.Sentence(err, phrase.Fallback))
		}
	}
	return embedAll(ctx, index)
}

// maxRefill is how many passages [Refill] takes.
const maxRefill = 50_000

// Refill copies the documents of an index into an empty one and waits for the vectors that it makes by v. What rehearsals keep is left out.
// start is called before anything is written, with the number of passages and the bytes of their texts; its error ends the copy.
func Refill(ctx context.Context, from library.Index, into Index, v Vectors, start func(passages, bytes int) error) error {
	scopes, err := from.Scopes(ctx)
	if err != nil {
		return fmt.Errorf("list scopes: %w", err)
	}
	scopes = slices.DeleteFunc(scopes, func(scope string) bool {
		_, _, kept := library.ShadowOf(scope)
		return kept
	})
	docs, err := from.Documents(ctx, scopes)
	if err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	passages, bytes := 0, 0
	for _, d := range docs {
		passages += d.Chunks
	}
	if passages > maxRefill {
		return fmt.Errorf("the documents have %d passages, and at most %d are indexed anew", passages, maxRefill)
	}
	chunks := make([][]rag.Chunk, len(docs))
	for i, d := range docs {
		if chunks[i], _, err = from.Passages(ctx, []string{d.Scope}, d.ID, 0, math.MaxInt); err != nil {
			return fmt.Errorf("read document %s: %w", d.ID, err)
		}
		for _, c := range chunks[i] {
			bytes += len(c.Text)
		}
	}
	if err := start(passages, bytes); err != nil {
		return err
	}
	if err := putInto(into)(ctx, docs, chunks); err != nil {
		return fmt.Errorf("index the documents anew: %w", err)
	}
	if v.Embed == nil {
		return nil
	}
	return embedAll(ctx, into)
}

// embedAll waits until every passage has its vector: figures of half a collection would say nothing.
func embedAll(ctx context.Context, index vec.Covered) error {
	const fix = "embed the documents (without OPENAI_EMBEDDING_MODEL keywords alone are used): %w"
	if own, ok := index.(*local.Index); ok {
		if err := own.EmbedNow(ctx); err != nil {
			return fmt.Errorf(fix, err)
		}
		return nil
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := index.Embedded(ctx)
		switch {
		case err != nil || c.Complete():
			return err
		case c.Failed != nil:
			return fmt.Errorf(fix, c.Failed)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
