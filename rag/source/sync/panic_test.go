package sync_test

import (
	"context"
	gosync "sync"
	"testing"
	"time"

	"maru/rag/source"
)

// turning is a shelf on which the readers of an item change between the check of all rights and its reading, which panics.
type turning struct {
	*shelf
	mu    gosync.Mutex
	asked int
}

func (s *turning) Permissions(ctx context.Context, it source.Item) (source.Readers, error) {
	if it.ID != "a" {
		return s.shelf.Permissions(ctx, it)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked++; s.asked == 1 {
		return of("ann@x.com"), nil
	}
	return of("bob@x.com"), nil
}

func (s *turning) Fetch(ctx context.Context, it source.Item, validators string) (source.Content, error) {
	if it.ID == "a" {
		panic("a fault of the reader")
	}
	return s.shelf.Fetch(ctx, it, validators)
}

// TestAPanicAfterAMoveKeepsTheDocument: a document that went to its new readers before the reading of its next version
// panicked is still the item's, not a stray that is removed.
func TestAPanicAfterAMoveKeepsTheDocument(t *testing.T) {
	t.Parallel()
	w, s := shelved(t)
	w.look()
	w.read("at first", "a ab all", "ab all")
	s.set(func() { s.texts["a"] = "another version" })
	w.open = func(source.Row) (source.Source, error) { return &turning{shelf: s}, nil }
	w.look()
	w.read("after the panics", "ab all", "a ab all")
}

// TestAParkedItemStaysParked: that the readers of a parked item cannot be asked hides its document, and does not have it
// read again.
func TestAParkedItemStaysParked(t *testing.T) {
	t.Parallel()
	w, s := shelved(t)
	w.look()
	const owner = "who parks"
	row, got, err := w.store.LeaseSource(t.Context(), "drive", owner, time.Now(), time.Now().Add(time.Minute))
	if err != nil || !got {
		t.Fatal(got, err)
	}
	list, err := w.store.SourceItems(t.Context(), "drive", source.Query{IDs: []string{"a"}, Limit: 1})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	list[0].State = source.Parked
	if err := w.store.SaveSource(t.Context(), "drive", owner, row.Progress, list, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.store.FreeSource(t.Context(), "drive", owner); err != nil {
		t.Fatal(err)
	}
	s.set(func() { s.faults["a"] = &source.Fault{Permanent: true, Key: "source.away"} })
	w.look()
	if got := w.states("drive"); got != "2 synced, 1 parked, 0 others" {
		t.Error(got)
	}
	w.read("without known readers", "ab all", "ab all")
}
