package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"maru/rag"
	"maru/rag/library"
	"maru/rag/local"
)

// narrow is an index on a server, or one whose disk has room for a few documents, and which must not be asked for all.
type narrow struct {
	*local.Index

	room int
	away bool // as a server that does not answer
}

func (n *narrow) Put(ctx context.Context, doc rag.Document, chunks []rag.Chunk) error {
	if n.away {
		return fmt.Errorf("put: %w", rag.ErrUnavailable)
	}
	if n.room == 0 {
		return fmt.Errorf("write log: %w", syscall.ENOSPC)
	}
	n.room--
	return n.Index.Put(ctx, doc, chunks)
}

func (n *narrow) Documents(context.Context, []string) ([]rag.Document, error) {
	return nil, errors.New("all documents are listed")
}

// TestIngestStopsWhenTheDiskIsFull: what was added stays, the rest is not tried, and no file costs a
// list of all documents.
func TestIngestStopsWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	w, docs, _ := followed(t)
	for i := range 5 {
		write(t, filepath.Join(docs, fmt.Sprintf("%d.md", i)), fmt.Sprintf("# Ferry %d\n\nIt leaves at seven.", i))
	}
	files, err := library.FindFiles([]string{docs})
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	index, ok := w.library.Index.(*local.Index)
	if !ok {
		t.Fatalf("the index is a %T", w.library.Index)
	}
	loader, err := newLoader(&w.cfg, w.log)
	if err != nil {
		t.Fatal(err)
	}
	full := &narrow{Index: index, room: 2}
	lib := newLibrary(base{cfg: w.cfg}, full, loader)
	var out strings.Builder
	if err := ingestAll(t.Context(), lib, invocation{process: process{stdout: &out}}, library.Filing{Scope: "public", By: library.ByOperator}, files); !errors.Is(err, errSilent) {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "disk is full: docs/2.md") || !strings.HasSuffix(out.String(), "2 added, 0 unchanged, 0 failed, 3 left\n") {
		t.Errorf("it says\n%s", out.String())
	}
	full.away, full.room = true, 0
	out.Reset()
	if err := ingestAll(t.Context(), lib, invocation{process: process{stdout: &out}}, library.Filing{Scope: "public", By: library.ByOperator}, files[2:]); !errors.Is(err, errSilent) {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "docs/2.md was not added: the search index does not answer") || !strings.HasSuffix(out.String(), "0 added, 0 unchanged, 0 failed, 3 left\n") {
		t.Errorf("with the index away it says\n%s", out.String())
	}
	full.away, full.room = false, 9
	out.Reset()
	if err := ingestAll(t.Context(), lib, invocation{process: process{stdout: &out}}, library.Filing{Scope: "public", By: library.ByOperator}, files); err != nil || !strings.HasSuffix(out.String(), "3 added, 2 unchanged, 0 failed\n") {
		t.Errorf("with room again (%v) it says\n%s", err, out.String())
	}
}
