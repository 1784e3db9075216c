package sync_test

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/memory/sqlitestore"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/local"
	"maru/rag/source"
	"maru/rag/source/sync"
	"maru/rag/source/website"
)

// world is an engine on a real record and index, in a folder that outlives it.
type world struct {
	t     *testing.T
	store *sqlitestore.Store
	cut   source.Store // in front of it, if not nil
	notes sync.Notes   // likewise
	index *local.Index
	lib   *library.Library
	rows  []source.Row
	open  func(source.Row) (source.Source, error)
	owner string
}

func newWorld(t *testing.T, rows ...source.Row) *world {
	t.Helper()
	w := &world{t: t, rows: rows, owner: "one"}
	dir := t.TempDir()
	var err error
	if w.store, err = sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(dir, "maru.db")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	if w.index, err = local.Open(t.Context(), local.Config{Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.index.Close() })
	w.lib = library.New(library.Config{
		Index: w.index, Loader: load.New(load.Config{}), Now: time.Now, MaxFile: 1 << 20,
		TooLarge:  func(name string, size, limit int64) error { return load.LargerThan(name, size, limit) },
		Permanent: func(error) bool { return true },
	})
	w.open = func(r source.Row) (source.Source, error) {
		return website.New(website.Config{URL: r.Spec.URL, Client: http.DefaultClient, Agent: "Maru/test", MaxBytes: 1 << 20, MaxItems: 1000})
	}
	return w
}

// row returns a website of the configuration.
func row(name, url string) source.Row {
	return source.Row{Name: name, Spec: source.Spec{Kind: source.Website, URL: url, Scope: bot.ScopePublic, Every: time.Hour, Pages: 1000, Depth: 4}}
}

func (w *world) engine() *sync.Engine {
	store := source.Store(w.store)
	if w.cut != nil {
		store = w.cut
	}
	notes := w.notes
	if notes == nil {
		notes = w.store
	}
	return sync.New(sync.Config{
		Store: store, Notes: notes, Library: w.lib, Open: func(r source.Row) (source.Source, error) { return w.open(r) }, Rows: w.rows, Owner: w.owner, Log: slog.New(slog.DiscardHandler),
		Now: time.Now, Poll: 5 * time.Millisecond, Again: time.Millisecond, Retry: time.Hour, Lease: time.Minute,
	})
}

// run runs an engine until done holds of the source's row.
func (w *world) run(done func(source.Row) bool) source.Row {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	ended := make(chan struct{})
	e := w.engine()
	go func() {
		defer close(ended)
		e.Run(ctx)
	}()
	for {
		rows, err := w.store.Sources(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		for _, r := range rows {
			if done(r) {
				cancel()
				<-ended
				return r
			}
		}
		time.Sleep(2 * time.Millisecond) // the record tells nobody of its changes
	}
}

// look runs a look to its end, and returns the row after it.
func (w *world) look() source.Row {
	w.t.Helper()
	rows, err := w.store.Sources(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	start, failed := time.Now(), 0
	for _, r := range rows {
		failed = r.Progress.Tries
		r.Wanted = time.Now()
		if _, err := w.store.PutSource(w.t.Context(), r); err != nil {
			w.t.Fatal(err)
		}
	}
	return w.run(func(r source.Row) bool {
		p := r.Progress
		return !r.Wanted.After(p.Heard) && (p.Phase == source.Idle && p.Done.After(start) || p.Tries > failed)
	})
}

// docs returns the texts of the documents by their paths.
func (w *world) docs(base string) map[string]string {
	w.t.Helper()
	list, err := w.lib.Documents(w.t.Context(), []string{bot.ScopePublic})
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range list {
		chunks, _, err := w.lib.Passages(w.t.Context(), []string{d.Scope}, d.ID, 0, 100)
		if err != nil {
			w.t.Fatal(err)
		}
		text := ""
		for _, c := range chunks {
			text += c.Text + "\n"
		}
		path := strings.TrimPrefix(d.Source, base)
		if _, twice := out[path]; twice {
			w.t.Errorf("%s is there twice", path)
		}
		out[path] = text
	}
	return out
}

func (w *world) want(base, path, text string) {
	w.t.Helper()
	got, ok := w.docs(base)[path]
	if !ok && text != "" || !strings.Contains(got, text) || ok && text == "" {
		w.t.Errorf("%s says %q, want %q", path, got, text)
	}
}
