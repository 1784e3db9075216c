package library_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"maru/bot"
	"maru/logtest"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdf"
	"maru/rag/local"
)

// parseChild makes this test program the child that parses files.
const parseChild = "parse-child"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == parseChild {
		if err := load.Child(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// world is a library over an index on disk, with a watched folder.
type world struct {
	lib    *library.Library
	index  *narrow
	loader *counting
	folder *library.Folder
	docs   string // the watched folder
	log    *logtest.Log
}

// newWorld opens a library whose watched folder is not there yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	index, err := local.Open(t.Context(), local.Config{Dir: filepath.Join(dir, "index"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	loader := load.New(load.Config{Command: []string{self, parseChild}, MaxBytes: 1 << 20, Timeout: 1 << 35, PDF: pdf.Config{Cache: loadtest.PDFCache()}, Log: slog.New(slog.DiscardHandler)})
	w := &world{
		index: &narrow{Index: index, room: -1}, loader: &counting{Loader: loader},
		docs: filepath.Join(dir, "docs"), log: &logtest.Log{},
	}
	w.lib = library.New(library.Config{
		Index: w.index, Loader: w.loader, Now: time.Now, MaxFile: 1 << 20,
		TooLarge:  func(name string, size, limit int64) error { return load.LargerThan(name, size, limit) },
		Permanent: func(err error) bool { return errors.As(err, new(*load.Error)) },
	})
	w.folder = library.NewFolder(w.lib, w.docs, w.log.Logger())
	return w
}

// narrow is an index whose disk may have room for a few documents only.
type narrow struct {
	*local.Index

	room   int  // documents; below 0: no end
	unread bool // passages of documents cannot be read
}

func (n *narrow) Passages(ctx context.Context, scopes []string, document string, from, most int) ([]rag.Chunk, rag.Document, error) {
	if n.unread {
		return nil, rag.Document{}, fmt.Errorf("read passages: %w", syscall.EIO)
	}
	return n.Index.Passages(ctx, scopes, document, from, most)
}

func (n *narrow) Put(ctx context.Context, doc rag.Document, chunks []rag.Chunk) error {
	if n.room == 0 {
		return fmt.Errorf("write log: %w", syscall.ENOSPC)
	}
	n.room--
	return n.Index.Put(ctx, doc, chunks)
}

// counting is a loader that notes what it reads.
type counting struct {
	*load.Loader

	mu   sync.Mutex
	read []string
	fail error
}

func (c *counting) Load(ctx context.Context, name string, data []byte) (rag.Document, []rag.Chunk, error) {
	c.mu.Lock()
	c.read = append(c.read, name)
	c.mu.Unlock()
	if c.fail != nil {
		return rag.Document{}, nil, c.fail
	}
	return c.Loader.Load(ctx, name, data)
}

// Batch has what it reads noted too.
func (c *counting) Batch() (rag.Loader, func()) { return c, func() {} }

// followed returns a world, and what looks through its folder and compares the documents of the
// folder with want. A look comes long after the last change, or with young right after it.
func followed(t *testing.T) (w *world, docs string, holds func(when, want string), young func() bool) {
	t.Helper()
	w = newWorld(t)
	holds = func(when, want string) {
		t.Helper()
		if w.folder.Sync(t.Context(), time.Now().Add(time.Hour)) {
			t.Errorf("%s: files wait", when)
		}
		if got := w.titles(t, func(d rag.Document) bool { return strings.HasPrefix(d.Source, "docs/") }); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	return w, w.docs, holds, func() bool { return w.folder.Sync(t.Context(), time.Now()) }
}

// titles lists the public documents that fit.
func (w *world) titles(t *testing.T, fits func(rag.Document) bool) string {
	t.Helper()
	list, err := w.lib.Documents(t.Context(), []string{bot.ScopePublic})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range list {
		if fits(d) {
			names = append(names, d.Source+" "+d.Title)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// ingested returns a world with what adds paths to it as `maru ingest` does, and what lists the
// documents that came from files.
func ingested(t *testing.T) (w *world, add func(paths ...string), names func() string) {
	t.Helper()
	w = newWorld(t)
	add = func(paths ...string) {
		t.Helper()
		files, err := library.FindFiles(paths)
		if err == nil {
			files, err = w.lib.Named(t.Context(), bot.ScopePublic, files)
		}
		keep := map[string]bool{}
		for _, f := range files {
			keep[f.Name] = true
		}
		for _, f := range files {
			changed, doc, failed := w.lib.AddFile(t.Context(), library.Filing{Scope: bot.ScopePublic, By: library.ByOperator}, f)
			if failed == nil && changed {
				failed = w.lib.DropShorter(t.Context(), doc, keep)
			}
			err = errors.Join(err, failed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	names = func() string {
		t.Helper()
		return w.titles(t, func(d rag.Document) bool { return d.By == library.ByOperator || d.By == library.ByFolder })
	}
	return w, add, names
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
