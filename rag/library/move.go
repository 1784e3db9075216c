package library

import (
	"context"
	"errors"
	"fmt"
	"math"

	"maru/rag"
)

// ErrTaken says that there is a document of this name where another was to be moved.
var ErrTaken = errors.New("library: there is a document of this name already")

// Move gives a document of one scope to the readers of another. It is readable in both for a moment, never in none. A
// document of the same name there is not replaced: the error is ErrTaken.
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
		return rag.Document{}, fmt.Errorf("look for document %s: %w", moved.ID, err)
	}
	if err := l.Index.Put(ctx, moved, chunks); err != nil {
		return rag.Document{}, fmt.Errorf("put document %s: %w", moved.ID, err)
	}
	if _, err := l.Index.Delete(ctx, from, id); err != nil {
		return rag.Document{}, fmt.Errorf("remove document %s: %w", id, err)
	}
	return moved, nil
}
