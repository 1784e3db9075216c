package library

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"maru/rag"
)

// The shadows of a scope: documents that a rehearsal adds to it, and copies of those that it took away.
const (
	ShadowNew = "new"
	ShadowOld = "old"
)

const shadowPrefix = "rehearsal:"

// Shadow returns the scope of documents that a rehearsal keeps for another scope. Nobody reads it: no message, person or place has
// such a scope. A purge of the other scope purges its shadows too; a single document that is deleted leaves its copies there, until its
// rehearsal is discarded or forgotten after a week.
func Shadow(rehearsal, part, scope string) string {
	return shadowPrefix + rehearsal + "/" + part + "/" + scope
}

// ShadowOf returns the rehearsal and the scope of a shadow; ok is false for any other scope.
func ShadowOf(scope string) (rehearsal, of string, ok bool) {
	rest, ok := strings.CutPrefix(scope, shadowPrefix)
	if !ok {
		return "", "", false
	}
	parts := strings.SplitN(rest, "/", 3)
	if len(parts) < 3 {
		return "", "", false
	}
	return parts[0], parts[2], true
}

// ShadowID returns the ID of a document's copy in a shadow: an index has each ID once.
func ShadowID(shadow, id string) string { return rag.DocumentID(shadow, id) }

// Copy puts a document of one scope into another under an ID, which must be another than its own; a document with that ID is
// replaced. It keeps all else, also when and by whom it was added.
func (l *Library) Copy(ctx context.Context, from, id, to, as string) error {
	chunks, doc, err := l.Index.Passages(ctx, []string{from}, id, 0, math.MaxInt)
	if err != nil {
		return fmt.Errorf("read document %s: %w", id, err)
	}
	doc, chunks = Renamed(doc, chunks, to, as)
	if err := l.Index.Put(ctx, doc, chunks); err != nil {
		return fmt.Errorf("put document %s: %w", as, err)
	}
	return nil
}

// Renamed gives a document and passages of it another scope and ID.
func Renamed(doc rag.Document, chunks []rag.Chunk, scope, id string) (rag.Document, []rag.Chunk) {
	doc.Scope, doc.ID = scope, id
	out := make([]rag.Chunk, len(chunks))
	for i, c := range chunks {
		c.Document, c.ID = id, id+"#"+strconv.Itoa(c.Ordinal)
		out[i] = c
	}
	return doc, out
}
