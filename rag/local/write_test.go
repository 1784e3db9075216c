package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"maru/rag"
)

func one(id, text string) (rag.Document, []rag.Chunk) {
	return rag.Own(rag.Document{Source: id, Title: id}, []rag.Chunk{{Text: text, End: len(text)}}, "public")
}

// TestFailedWrite breaks the log's file under the index: the Put fails, what
// was there stays findable, and nothing more is taken until it is opened again.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	doc, chunks := one("kept", "연차 규정")
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	readOnly, err := os.Open(filepath.Join(dir, x.disk.man.Logs[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := x.disk.log.f.Close(); err != nil {
		t.Fatal(err)
	}
	x.disk.log.f = readOnly
	lost, lostChunks := one("lost", "연차 휴가")
	for range 2 {
		if err := x.Put(t.Context(), lost, lostChunks); !errors.Is(err, errLogLost) {
			t.Fatalf("put on a broken log: %v, want errLogLost", err)
		}
	}
	hits, err := x.Search(t.Context(), rag.Query{Text: "연차", Scopes: []string{"public"}})
	if err != nil || len(hits) != 1 || hits[0].Document.ID != doc.ID {
		t.Errorf("after the failed put: %v, %v", hits, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if err := again.Put(t.Context(), lost, lostChunks); err != nil {
		t.Errorf("put after opening again: %v", err)
	}
}
