package library

import (
	"context"
	"errors"
	"fmt"
	"math"

	"maru/rag"
)

// ErrTaken reports that the target scope already has a document of the same name.
var ErrTaken = errors.New("library: a document of this name exists already")

// Move moves a document to another scope. For a moment it is readable in both, never in none. It does not replace
// a document of the same name there, and returns ErrTaken.
func (l *Library) Move(ctx context.Context, from, id, to string) (rag.Document, error) {
	chunks, doc, err := l.Index.Passages(ctx, []string{from}, id, 0, math.MaxInt)
	if err != nil {
		return rag.Document{}, fmt.Errorf("read document %s: %w", id, err)
	}
	if from == to {
		return doc, nil
	}
	moved, chunks := rag.Own(doc, chunks, to)
	switch _, err := l.Index.Document(ctx, []string{to}, moved.ID); {
	case err == nil:
		return rag.Document{}, ErrTaken
	case !errors.Is(err, rag.ErrNotFound):
		return rag.Document{}, fmt.Errorf("find document %s: %w", moved.ID, err)
	}
	if err := l.Index.Put(ctx, moved, chunks); err != nil {
		return rag.Document{}, fmt.Errorf("put document %s: %w", moved.ID, err)
	}
	if _, err := l.Index.Delete(ctx, from, id); err != nil {
		return rag.Document{}, fmt.Errorf("remove document %s: %w", id, err)
	}
	return moved, nil
}
