package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"maru/bot"
	"maru/config"
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

// crammed is the error of a record whose disk is full, as the stores tell it.
type crammed struct{ error }

func (crammed) PeopleCode() string { return string(bot.CodeStoreFull) }

// TestAdviceOfAFullDisk: a command that ends because a disk is full says which, and nothing of the kind otherwise.
func TestAdviceOfAFullDisk(t *testing.T) {
	t.Parallel()
	at := config.Store{DataDir: "/srv/maru"}
	for _, tt := range []struct {
		err   error
		store config.Store
		want  string
	}{
		{fmt.Errorf("first note: %w", crammed{errors.New("database or disk is full (13)")}), at, "make room on the disk of DATA_DIR (/srv/maru)"},
		{fmt.Errorf("write log: %w", syscall.ENOSPC), at, "make room on the disk of DATA_DIR (/srv/maru)"},
		{crammed{errors.New("53100")}, config.Store{DataDir: "/srv/maru", DatabaseURL: "postgres://h/d"}, "make room in the database"},
		{errors.New("something else"), at, ""},
	} {
		if got := room(tt.err, tt.store); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

// TestFolderThatCannotBe: commands that open the index alone say what to do about DATA_DIR, too.
func TestFolderThatCannotBe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "no folder")
	for _, args := range [][]string{{"ingest", file}, {"docs"}, {"ask", "hello"}} {
		code, _, errs := runHere(t, "", []string{"DATA_DIR=" + filepath.Join(file, "data"), "MARU_HANDBOOK=false"}, args...)
		if code != exitFailed || !strings.Contains(errs, "name a folder that this program may make and write to") {
			t.Errorf("maru %v: %d %s", args, code, errs)
		}
	}
}
