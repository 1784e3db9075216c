package sync_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"maru/bot"
	"maru/rag/source"
	"maru/rag/source/sync"
)

// shelf is a source in memory whose items have readers of their own.
type shelf struct {
	mu      gosync.Mutex
	texts   map[string]string
	readers map[string]source.Readers
	faults  map[string]error // of the readers of an item; of "" when it lists
	fetched int
}

func (s *shelf) List(context.Context, string) (source.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := source.Page{Complete: true}
	for _, id := range slices.Sorted(maps.Keys(s.texts)) {
		p.Items = append(p.Items, source.Item{ID: id, URL: id, Version: s.texts[id], Trusted: true})
	}
	return p, s.faults[""]
}

func (s *shelf) Fetch(_ context.Context, it source.Item, _ string) (source.Content, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched++
	return source.Content{Name: "one.md", Data: []byte(s.texts[it.ID])}, nil
}

func (s *shelf) Permissions(_ context.Context, it source.Item) (source.Readers, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readers[it.ID], s.faults[it.ID]
}

func (s *shelf) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// shelved returns a world with a shelf of three items: of Ann, of Ann and Bob, of everyone.
func shelved(t *testing.T) (*world, *shelf) {
	t.Helper()
	s := &shelf{
		texts: map[string]string{"a": "of Ann", "ab": "of Ann and Bob", "all": "of all"}, faults: map[string]error{},
		readers: map[string]source.Readers{"a": of("ann@x.com"), "ab": of("bob@x.com", "Ann@x.com"), "all": {Everyone: true}},
	}
	r := row("drive", "")
	r.Team, r.Spec.Scope, r.Spec.Rights = "slack/T1", "team:slack/T1", time.Hour
	w := newWorld(t, r)
	w.open = func(source.Row) (source.Source, error) { return s, nil }
	return w, s
}

func of(mails ...string) source.Readers { return source.Readers{Mails: mails} }

// may returns the items of which somebody reads the documents, by what the record says of their scopes.
func (w *world) may(mail string) string {
	w.t.Helper()
	scopes, err := w.lib.Scopes(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, scope := range scopes {
		docs, err := w.lib.Documents(w.t.Context(), []string{scope})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, d := range docs {
			if _, ok := source.RestrictionOf(scope); !ok || strings.Contains(w.note(source.ReadersNote(scope)), `"`+mail+`"`) {
				out = append(out, d.Source)
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func (w *world) note(key string) string {
	w.t.Helper()
	text, err := w.store.Note(w.t.Context(), key)
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// read checks what two people read.
func (w *world) read(when, ann, bob string) {
	w.t.Helper()
	if got := w.may("ann@x.com"); got != ann {
		w.t.Errorf("%s Ann reads %q, want %q", when, got, ann)
	}
	if got := w.may("bob@x.com"); got != bob {
		w.t.Errorf("%s Bob reads %q, want %q", when, got, bob)
	}
}

// TestRights: documents are in scopes of their readers, and follow these without being fetched again. Readers that cannot
// be asked hide a document, and one that has none any more is nobody's.
func TestRights(t *testing.T) {
	t.Parallel()
	w, s := shelved(t)
	w.run(func(r source.Row) bool { return r.Progress.Phase == source.Idle && !r.Progress.Done.IsZero() })
	w.read("at first", "a ab all", "ab all")
	until, err := time.Parse(time.RFC3339, w.note(source.RightsNote("drive", "team:slack/T1")))
	if err != nil || time.Until(until) < source.RightsHold-time.Hour {
		t.Errorf("the rights count until %v: %v", until, err)
	}
	for _, c := range []struct {
		what     string
		change   func()
		ann, bob string
	}{
		{"after a share", func() { s.readers["a"] = of("ann@x.com", "bob@x.com") }, "a ab all", "a ab all"},
		{"after a revocation", func() { s.readers["a"], s.readers["ab"] = of("ann@x.com"), of("bob@x.com") }, "a all", "ab all"},
		{"after it was given to nobody", func() { s.readers["ab"] = of() }, "a all", "all"},
		{"after it was given to everyone", func() { s.readers["ab"] = source.Readers{Everyone: true} }, "a ab all", "ab all"},
		{"after everyone lost it", func() { s.readers["all"] = of("ann@x.com") }, "a ab all", "ab"},
	} {
		s.set(c.change)
		w.look()
		w.read(c.what, c.ann, c.bob)
	}
	if s.fetched != 3 {
		t.Errorf("%d items were fetched, want 3: none changed", s.fetched)
	}
	s.set(func() { s.faults["a"] = errors.New("away") })
	w.look()
	w.read("while readers cannot be asked", "ab all", "ab")
	bad, err := w.store.SourceItems(t.Context(), "drive", source.Query{States: []source.State{source.Failed}, Limit: 9})
	if err != nil || len(bad) != 1 || bad[0].ID != "a" || bad[0].Why.In("en") == "" {
		t.Errorf("failed items: %+v, %v", bad, err)
	}
	s.set(func() { s.faults["a"] = nil })
	w.look()
	w.read("when they can be asked again", "a ab all", "ab")
	s.set(func() { s.faults["a"] = source.ErrGone })
	w.look()
	w.read("when one is gone", "ab all", "ab")
	w.tidy()
}

// tidy removes the source, and finds neither documents nor readers left.
func (w *world) tidy() {
	w.t.Helper()
	scopes := []string{}
	all, err := w.lib.Scopes(w.t.Context())
	for _, s := range all {
		if _, ok := source.RestrictionOf(s); ok && w.note(source.ReadersNote(s)) != "" {
			scopes = append(scopes, s)
		}
	}
	if err != nil || len(scopes) == 0 {
		w.t.Errorf("restricted scopes %v, %v", all, err)
	}
	rows, err := w.store.Sources(w.t.Context())
	if err != nil || len(rows) != 1 {
		w.t.Fatalf("sources %v, %v", rows, err)
	}
	rows[0].Removed = true
	if _, err := w.store.PutSource(w.t.Context(), rows[0]); err != nil {
		w.t.Fatal(err)
	}
	w.rows = nil
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.engine().Run(ctx)
	}()
	for len(rows) > 0 {
		if rows, err = w.store.Sources(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond) // the record tells nobody of its changes
	}
	cancel()
	<-ended
	if all, err := w.lib.Scopes(w.t.Context()); err != nil || len(all) > 0 {
		w.t.Errorf("scopes %v are left, %v", all, err)
	}
	for _, s := range scopes {
		if left := w.note(source.ReadersNote(s)); left != "" {
			w.t.Errorf("readers are left: %s", left)
		}
	}
	if left := w.note(source.RightsNote("drive", "team:slack/T1")); left != "" {
		w.t.Errorf("rights are left: %s", left)
	}
}

// TestRightsRefused: a source that refuses itself makes its documents unreadable, until it was asked about all of them.
func TestRightsRefused(t *testing.T) {
	t.Parallel()
	w, s := shelved(t)
	w.run(func(r source.Row) bool { return r.Progress.Phase == source.Idle && !r.Progress.Done.IsZero() })
	key := source.RightsNote("drive", "team:slack/T1")
	s.set(func() { s.faults[""] = errors.New("away") })
	w.look()
	if w.note(key) == "" {
		t.Error("rights do not outlive a moment without the source")
	}
	s.set(func() { s.faults[""] = &source.Fault{Key: "source.no_answer", Args: []any{"x"}, Permanent: true} })
	if r := w.look(); w.note(key) != "" || !r.Progress.Rights.IsZero() {
		t.Errorf("rights of a refused source count until %s, %v", w.note(key), r.Progress.Rights)
	}
	s.set(func() { s.faults[""], s.readers["a"] = nil, of("bob@x.com") })
	if r := w.look(); w.note(key) == "" || r.Progress.Rights.IsZero() {
		t.Errorf("rights count until %q, %v", w.note(key), r.Progress.Rights)
	}
	w.read("after it came back", "ab all", "a ab all")
}

// TestRightsAreCheckedInTime: readers are asked again after their own period, long before the next look at items is due.
func TestRightsAreCheckedInTime(t *testing.T) {
	t.Parallel()
	w, s := shelved(t)
	w.rows[0].Spec.Every, w.rows[0].Spec.Rights = 24*time.Hour, 20*time.Millisecond
	w.run(func(r source.Row) bool { return r.Progress.Phase == source.Idle && !r.Progress.Done.IsZero() })
	s.set(func() { s.readers["ab"] = of("bob@x.com") })
	w.run(func(source.Row) bool { return w.may("ann@x.com") == "a all" })
	w.read("later", "a all", "ab all")
}

// forgetting is a record in which a process that lost its lease forgets the readers of a scope once, between their note and the
// document that comes into it.
type forgetting struct {
	sync.Notes

	once gosync.Once
}

func (f *forgetting) SetNote(ctx context.Context, key, value string) (err error) {
	if err = f.Notes.SetNote(ctx, key, value); err == nil && strings.Contains(value, "carol@x.com") {
		f.once.Do(func() { err = f.Notes.SetNote(ctx, key, "") })
	}
	return err
}

// TestReadersForgottenBesideAMove: a document that gets other readers is read by these also if an older process forgets them in between.
func TestReadersForgottenBesideAMove(t *testing.T) {
	t.Parallel()
	w, s := shelved(t)
	w.run(func(r source.Row) bool { return r.Progress.Phase == source.Idle && !r.Progress.Done.IsZero() })
	w.notes = &forgetting{Notes: w.store}
	s.set(func() { s.readers["a"] = of("carol@x.com") })
	w.look()
	if got := w.may("carol@x.com"); got != "a all" {
		t.Errorf("Carol reads %q", got)
	}
}

// cutStore fails once to keep what a look has done.
type cutStore struct {
	source.Store

	mu  gosync.Mutex
	cut func([]source.Entry) bool
}

func (c *cutStore) SaveSource(ctx context.Context, name, owner string, p source.Progress, put []source.Entry, drop []string) error {
	c.mu.Lock()
	cut := c.cut != nil && c.cut(put)
	if cut {
		c.cut = nil
	}
	c.mu.Unlock()
	if cut {
		return errors.New("cut off")
	}
	return c.Store.SaveSource(ctx, name, owner, p, put, drop)
}

// TestRightsCutOff: a look that is cut off between moving a document and keeping where it is neither loses nor doubles it.
func TestRightsCutOff(t *testing.T) {
	t.Parallel()
	w, s := shelved(t)
	w.run(func(r source.Row) bool { return r.Progress.Phase == source.Idle && !r.Progress.Done.IsZero() })
	store := &cutStore{Store: w.store, cut: func(put []source.Entry) bool { return len(put) == 1 && put[0].ID == "ab" && put[0].Document != "" }}
	w.cut = store
	s.set(func() { s.readers["ab"] = of("ann@x.com") })
	w.look()
	w.read("after the cut", "a ab all", "all")
	store.mu.Lock()
	defer store.mu.Unlock()
	if store.cut != nil {
		t.Error("nothing was cut off")
	}
	docs, err := w.lib.OfSource(t.Context(), must(w.lib.Scopes(t.Context())), "drive")
	if err != nil || len(docs) != 3 {
		t.Errorf("%d documents, %v", len(docs), err)
	}
}

func must(list []string, err error) []string {
	if err != nil {
		panic(err)
	}
	return list
}

var (
	_ source.WithReaders = (*shelf)(nil)
	_ sync.Notes         = bot.Notes(nil)
)
