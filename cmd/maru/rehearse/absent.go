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

// withoutGone returns an index in which documents are not found. Its passages are ranked as with them.
func withoutGone(index library.Index, gone func(scope, id string) bool) library.Index {
	return absent{index, gone}
}

func (a absent) lacks(d rag.Document) bool { return a.gone(d.Scope, d.ID) }

// Search implements rag.Index. The index itself searches the other documents alone: it drops all but one of passages that say the
// same, which must not be those of a missing document.
func (a absent) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	all, err := a.Index.Documents(ctx, q.Scopes)
	if err != nil {
		return nil, err
	}
	there := slices.DeleteFunc(slices.Clone(all), a.lacks)
	if len(there) == len(all) {
		return a.Index.Search(ctx, q)
	}
	asked := q.Documents
	q.Documents = nil
	for _, d := range there {
		if len(asked) == 0 || slices.Contains(asked, d.ID) {
			q.Documents = append(q.Documents, d.ID)
		}
	}
	if len(q.Documents) == 0 { // to an index that would be all of them
		return nil, nil
	}
	return a.Index.Search(ctx, q)
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
