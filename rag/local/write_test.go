package local

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// TestCompactingLeavesWhatIsBeingWritten: the worker that embeds writes a file of its own
// while the log moves to one; only what a dead program left unfinished is removed.
func TestCompactingLeavesWhatIsBeingWritten(t *testing.T) {
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
	half := filepath.Join(dir, vectorsName+".tmp")
	if err := os.WriteFile(half, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := x.compact(inLog); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(half); err != nil {
		t.Errorf("after compacting: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after opening again: %v", err)
	}
}

// TestManifestOfAnotherVersion says which version a folder has that this program cannot read.
func TestManifestOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{"version": 9}`: ": it is of version 9", `{"version": `: ": unexpected end of JSON input"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, manifestName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), Config{Dir: dir})
		if !errors.Is(err, errCorrupt) || !strings.Contains(err.Error(), want+"; restore the folder") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
