package rehearse

import (
	"context"
	"slices"
	"strings"

	"maru/rag"
	"maru/rag/library"
)

// added is an index in which the documents of one scope, a shadow, appear in another. Nothing is written to it.
type added struct {
	library.Index

	shadow, as string
	hidden     map[string]string // IDs in the shadow, by the ID as shown
	shown      map[string]string // IDs as shown, by the ID in the shadow
}

// withShadow returns an index in which the documents of a shadow are found by whoever may read the other scope.
func withShadow(ctx context.Context, index library.Index, shadow, as string) (library.Index, error) {
	docs, err := index.Documents(ctx, []string{shadow})
	if err != nil {
		return nil, err
	}
	a := added{index, shadow, as, map[string]string{}, map[string]string{}}
	for _, d := range docs {
		id := rag.DocumentID(as, d.Source)
		a.hidden[id], a.shown[d.ID] = d.ID, id
	}
	return a, nil
}

// scopes adds the shadow where the other scope is read.
func (a added) scopes(list []string) []string {
	if !slices.Contains(list, a.as) {
		return list
	}
	return append(slices.Clip(list), a.shadow)
}

func (a added) document(d rag.Document) rag.Document {
	if d.Scope == a.shadow {
		d, _ = library.Renamed(d, nil, a.as, a.shown[d.ID])
	}
	return d
}

func (a added) documents(list []rag.Document) []rag.Document {
	out := slices.Clone(list)
	for i := range out {
		out[i] = a.document(out[i])
	}
	return out
}

func (a added) chunks(list []rag.Chunk, d rag.Document) []rag.Chunk {
	if d.Scope != a.shadow {
		return list
	}
	_, out := library.Renamed(d, list, a.as, a.shown[d.ID])
	return out
}

// inside returns the ID in the shadow, and whether it is read there.
func (a added) inside(scopes []string, id string) (string, bool) {
	hidden, ok := a.hidden[id]
	return hidden, ok && slices.Contains(scopes, a.as)
}

// Search implements rag.Index.
func (a added) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	q.Scopes = a.scopes(q.Scopes)
	if len(q.Documents) > 0 {
		q.Documents = slices.Clone(q.Documents)
		for i, id := range q.Documents {
			if hidden, ok := a.inside(q.Scopes, id); ok {
				q.Documents[i] = hidden
			}
		}
	}
	hits, err := a.Index.Search(ctx, q)
	for i, h := range hits {
		hits[i].Chunk = a.chunks([]rag.Chunk{h.Chunk}, h.Document)[0]
		hits[i].Document = a.document(h.Document)
	}
	return hits, err
}

// Documents implements rag.Index.
func (a added) Documents(ctx context.Context, scopes []string) ([]rag.Document, error) {
	docs, err := a.Index.Documents(ctx, a.scopes(scopes))
	return a.documents(docs), err
}

// Some implements rag.Sampler.
func (a added) Some(ctx context.Context, scopes []string, limit int) ([]rag.Document, int, error) {
	docs, n, err := a.Index.Some(ctx, a.scopes(scopes), limit)
	return a.documents(docs), n, err
}

// Scopes implements rag.Scoper.
func (a added) Scopes(ctx context.Context) ([]string, error) {
	list, err := a.Index.Scopes(ctx)
	if err == nil && len(a.shown) > 0 {
		list = append(slices.Clip(list), a.as)
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list, err
}

// Document implements rag.Finder.
func (a added) Document(ctx context.Context, scopes []string, id string) (rag.Document, error) {
	if hidden, ok := a.inside(scopes, id); ok {
		d, err := a.Index.Document(ctx, []string{a.shadow}, hidden)
		return a.document(d), err
	}
	return a.Index.Document(ctx, scopes, id)
}

// Chunk implements rag.Index.
func (a added) Chunk(ctx context.Context, scopes []string, id string) (rag.Chunk, rag.Document, error) {
	document, ordinal, _ := strings.Cut(id, "#")
	if hidden, ok := a.inside(scopes, document); ok {
		c, d, err := a.Index.Chunk(ctx, []string{a.shadow}, hidden+"#"+ordinal)
		if err != nil {
			return c, d, err
		}
		return a.chunks([]rag.Chunk{c}, d)[0], a.document(d), nil
	}
	return a.Index.Chunk(ctx, scopes, id)
}

// Passages implements rag.Index.
func (a added) Passages(ctx context.Context, scopes []string, document string, from, to int) ([]rag.Chunk, rag.Document, error) {
	if hidden, ok := a.inside(scopes, document); ok {
		list, d, err := a.Index.Passages(ctx, []string{a.shadow}, hidden, from, to)
		return a.chunks(list, d), a.document(d), err
	}
	return a.Index.Passages(ctx, scopes, document, from, to)
}
