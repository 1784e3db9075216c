package library

import (
	"context"
	"slices"
	"strings"

	"maru/rag"
	"maru/rag/naming"
)

// heard returns the names in a question, without those words heard as names that texts say as they are typed.
func heard(ctx context.Context, l *Library, q rag.Query, d *directory) (naming.Reading, error) {
	read := d.read(q.Text)
	for _, h := range read.Heard {
		if said, err := l.saying(ctx, rag.Query{Scopes: q.Scopes}, strings.TrimSuffix(h.Typed, "의")); err != nil || len(said) > 0 {
			return d.ReadTyped(q.Text), err
		}
	}
	if len(read.Documents) > 0 {
		read.Spelled = "" // as typed it names documents
	}
	return read, nil
}

// sureElsewhere is the score from which documents without a heard name may answer.
const sureElsewhere = 0.6

// apartBy is how many times as well as the next document the one that is meant matches, where several have the name.
const apartBy = 1.5

// inHeard searches for a question with the names that words of it sound like. Unless what it finds first is sure, only documents with
// the name answer, even if they are in another language and share no word with the question.
func inHeard(ctx context.Context, l *Library, q rag.Query, r naming.Reading) ([]rag.Hit, error) {
	q.Text = r.Spelled
	hits, err := l.Index.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	bound, name := q, r.Heard[0]
	for _, h := range r.Heard {
		said, err := l.saying(ctx, q, h.Name)
		if err != nil {
			return nil, err
		}
		var docs []string
		for _, s := range said {
			if s.Chunk.Ordinal < opening && (len(bound.Documents) == 0 || slices.Contains(bound.Documents, s.Document.ID)) {
				docs = append(docs, s.Document.ID)
			}
		}
		if len(docs) > 0 {
			bound.Documents, name = docs, h
		}
	}
	if len(bound.Documents) == 0 || len(hits) > 0 && hits[0].Score >= sureElsewhere && !slices.Contains(bound.Documents, hits[0].Document.ID) {
		return hits, nil
	}
	bound.Threshold = -1
	if hits, err = l.Index.Search(ctx, bound); err != nil || len(hits) == 0 {
		return hits, err
	}
	first := hits[0]
	if other := slices.IndexFunc(hits, func(h rag.Hit) bool { return h.Document.ID != first.Document.ID }); other > 0 && hits[other].Score*apartBy <= first.Score {
		hits = slices.DeleteFunc(hits, func(h rag.Hit) bool { return h.Document.ID != first.Document.ID })
	}
	return called(hits, name.Typed, r.Heard), nil
}

// called notes on hits the name by which a question means their documents, and the words of it that sound like names.
func called(hits []rag.Hit, name string, words []naming.Heard) []rag.Hit {
	for i := range hits {
		hits[i].Called = name
		for _, w := range words {
			hits[i].Words = append(hits[i].Words, []string{strings.ToLower(w.Typed), w.Name})
		}
	}
	return hits
}

// inKorean reports whether a name or text says a word of a Latin name as it is spelled in Korean: lease in Suwon, where 수원 is said.
func inKorean(ctx context.Context, l *Library, q rag.Query, name string) (bool, error) {
	for w := range strings.FieldsSeq(name) {
		if said, err := sayingAny(ctx, l, q, naming.Hangul(w)); err != nil || said {
			return said, err
		}
	}
	return false, nil
}

// sayingAny reports whether a name or text says one of several words.
func sayingAny(ctx context.Context, l *Library, q rag.Query, words []string) (bool, error) {
	for _, w := range words {
		if said, err := l.saying(ctx, rag.Query{Scopes: q.Scopes}, w); err != nil || len(said) > 0 {
			return true, err
		}
	}
	return false, nil
}
