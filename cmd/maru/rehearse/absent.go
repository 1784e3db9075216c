package rehearse

import (
	"context"
	"slices"

	"maru/rag"
	"maru/rag/library"
)

// absent is an index without some of its documents. Nothing is written to it.
type absent struct {
	library.Index

	gone func(scope, id string) bool
}

// Without returns an index in which documents are not found. Its passages are ranked as with them.
func Without(index library.Index, gone func(scope, id string) bool) library.Index {
	return absent{index, gone}
}

func (a absent) lacks(d rag.Document) bool { return a.gone(d.Scope, d.ID) }

// more is how many further passages are looked at when those of missing documents take places of others, and most the bound.
const (
	more = 50
	most = 500
)

// Search implements rag.Index: as many passages as are wanted, as long as the index has some of other documents.
func (a absent) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	wanted := q.Limit
	if wanted <= 0 {
		wanted = 5
	}
	for q.Limit = wanted; ; q.Limit += more {
		hits, err := a.Index.Search(ctx, q)
		found := len(hits)
		hits = slices.DeleteFunc(hits, func(h rag.Hit) bool { return a.lacks(h.Document) })
		if err != nil || len(hits) >= wanted || found < q.Limit || q.Limit >= most {
			return hits[:min(len(hits), wanted)], err
		}
	}
}

// Documents implements rag.Index.
func (a absent) Documents(ctx context.Context, scopes []string) ([]rag.Document, error) {
	docs, err := a.Index.Documents(ctx, scopes)
	return slices.DeleteFunc(slices.Clone(docs), a.lacks), err
}

// Some implements rag.Sampler.
func (a absent) Some(ctx context.Context, scopes []string, limit int) ([]rag.Document, int, error) {
	docs, err := a.Documents(ctx, scopes)
	return docs[:min(len(docs), limit)], len(docs), err
}

// Document implements rag.Finder.
func (a absent) Document(ctx context.Context, scopes []string, id string) (rag.Document, error) {
	d, err := a.Index.Document(ctx, scopes, id)
	if err == nil && a.lacks(d) {
		return rag.Document{}, rag.ErrNotFound
	}
	return d, err
}

// Chunk implements rag.Index.
func (a absent) Chunk(ctx context.Context, scopes []string, id string) (rag.Chunk, rag.Document, error) {
	c, d, err := a.Index.Chunk(ctx, scopes, id)
	if err == nil && a.lacks(d) {
		return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
	}
	return c, d, err
}

// Passages implements rag.Index.
func (a absent) Passages(ctx context.Context, scopes []string, document string, from, to int) ([]rag.Chunk, rag.Document, error) {
	c, d, err := a.Index.Passages(ctx, scopes, document, from, to)
	if err == nil && a.lacks(d) {
		return nil, rag.Document{}, rag.ErrNotFound
	}
	return c, d, err
}
