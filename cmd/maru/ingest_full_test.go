package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"maru/logtest"
	"maru/rag"
	"maru/rag/local"
)

// narrow is an index whose disk has room for a few documents, and which must not be asked for all.
type narrow struct {
	*local.Index

	room int
}

func (n *narrow) Put(ctx context.Context, doc rag.Document, chunks []rag.Chunk) error {
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
	a, docs, _, _ := followed(t)
	for i := range 5 {
		write(t, filepath.Join(docs, fmt.Sprintf("%d.md", i)), fmt.Sprintf("# Ferry %d\n\nIt leaves at seven.", i))
	}
	files, err := findFiles([]string{docs})
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	index, ok := a.library.documentIndex.(*local.Index)
	if !ok {
		t.Fatalf("the index is a %T", a.library.documentIndex)
	}
	full := &narrow{index, 2}
	a.library.documentIndex, a.library.ingest.Index = full, full
	var out strings.Builder
	if err := a.ingestAll(t.Context(), invocation{process: process{stdout: &out}}, filing{scope: "public", by: byOperator}, files); !errors.Is(err, errSilent) {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "disk is full: docs/2.md") || !strings.HasSuffix(out.String(), "2 added, 0 unchanged, 0 failed, 3 left\n") {
		t.Errorf("it says\n%s", out.String())
	}
	full.room, a.library.documentIndex, a.library.ingest.Index = 9, full, full
	out.Reset()
	if err := a.ingestAll(t.Context(), invocation{process: process{stdout: &out}}, filing{scope: "public", by: byOperator}, files); err != nil || !strings.HasSuffix(out.String(), "3 added, 2 unchanged, 0 failed\n") {
		t.Errorf("with room again (%v) it says\n%s", err, out.String())
	}
	a.library.documentIndex, a.library.ingest.Index = index, index
}

// TestFolderWaitsForRoom: a watched folder on a full disk is one line in the log however many files
// wait and however often it is looked through, people are told, and what waits is added when
// there is room.
func TestFolderWaitsForRoom(t *testing.T) {
	t.Parallel()
	a, docs, holds, _ := followed(t)
	for i := range 5 {
		write(t, filepath.Join(docs, fmt.Sprintf("%d.md", i)), fmt.Sprintf("# Ferry %d\n\nIt leaves at seven.", i))
	}
	index, ok := a.library.documentIndex.(*local.Index)
	if !ok {
		t.Fatalf("the index is a %T", a.library.documentIndex)
	}
	var log logtest.Log
	a.log = log.Logger()
	full := &narrow{index, 2}
	a.library.ingest.Index = full
	for range 3 {
		holds("without room", "docs/0.md Ferry 0, docs/1.md Ferry 1")
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "first=docs/2.md left=3") {
		t.Errorf("%d warnings:\n%s", n, log.String())
	}
	if told := a.library.Refused("ko"); len(told) != 1 || !strings.Contains(told[0], "디스크가 가득") {
		t.Errorf("told %v", told)
	}
	full.room = 9
	holds("with room again", "docs/0.md Ferry 0, docs/1.md Ferry 1, docs/2.md Ferry 2, docs/3.md Ferry 3, docs/4.md Ferry 4")
	if told := a.library.Refused("ko"); len(told) > 0 || strings.Count(log.String(), "goes on") != 1 {
		t.Errorf("told %v; the log:\n%s", told, log.String())
	}
	a.library.ingest.Index = index
}
