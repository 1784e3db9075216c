package tryout_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/web/site"
	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/cmd/maru/console"
	"maru/cmd/maru/console/tryout"
	"maru/config"
	"maru/memory/sqlitestore"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/local"
)

// lines reads a file as one passage a line.
type lines struct{}

func (lines) Load(_ context.Context, name string, data []byte) (rag.Document, []rag.Chunk, error) {
	var out []rag.Chunk
	for i, line := range strings.Split(string(data), "\n") {
		out = append(out, rag.Chunk{Ordinal: i, Text: line})
	}
	return rag.Document{Title: name, Source: name, Hash: string(data), Size: int64(len(data))}, out, nil
}

// dying is a shelf whose process dies before its nth change.
type dying struct {
	*library.Library

	left int
}

var errDied = errors.New("the process died")

func (d *dying) step() error {
	if d.left--; d.left < 0 {
		return errDied
	}
	return nil
}

func (d *dying) Copy(ctx context.Context, from, id, to, as string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.Library.Copy(ctx, from, id, to, as)
}

func (d *dying) Delete(ctx context.Context, scope, id string) (bool, error) {
	if err := d.step(); err != nil {
		return false, err
	}
	return d.Library.Delete(ctx, scope, id)
}

var admin = bot.User{ID: "owner", Name: "Owner", Operator: true, Admin: true, Locale: "en"}

// stock is a collection of documents with the rehearsals over it.
type stock struct {
	t     *testing.T
	lib   *library.Library
	shelf *dying
	desk  *tryout.Desk
	ahead atomic.Int64 // of the clock
}

// later moves the clock.
func (s *stock) later(by time.Duration) { s.ahead.Add(int64(by)) }

func newStock(t *testing.T) *stock {
	t.Helper()
	record, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	index, err := local.Open(t.Context(), local.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = record.Close(), index.Close() })
	lib := library.New(library.Config{Index: index, Loader: lines{}, Now: time.Now, MaxFile: 1 << 20})
	b := service.New(service.Config{Record: record, Runner: agent.NewRunner(slog.New(slog.DiscardHandler), time.Minute, time.Now), Library: lib, Log: slog.New(slog.DiscardHandler)})
	shelf := &dying{lib, 1 << 20}
	s := &stock{t: t, lib: lib, shelf: shelf}
	s.desk = tryout.Over(console.New(b, console.Config{Record: record, Library: lib}), tryout.Config{
		Record: record, Library: shelf, MaxFile: 1 << 20, Settings: func() config.Config { return config.Config{} },
		Now: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) },
	})
	return s
}

func (s *stock) add(name, text string) {
	s.t.Helper()
	if _, err := s.lib.Add(s.t.Context(), bot.NewDocument{Scope: bot.ScopePublic, Name: name, By: "web/local/owner", Body: strings.NewReader(text)}); err != nil {
		s.t.Fatal(err)
	}
}

// public lists what everybody may read: "name: text".
func (s *stock) public() (out []string) {
	s.t.Helper()
	docs, err := s.lib.Documents(s.t.Context(), []string{bot.ScopePublic})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range docs {
		list, _, err := s.lib.Passages(s.t.Context(), []string{bot.ScopePublic}, d.ID, 0, 9)
		if err != nil || d.ID != rag.DocumentID(bot.ScopePublic, d.Source) {
			s.t.Fatal(d, err)
		}
		text := d.Source + ":"
		for _, c := range list {
			text += " " + c.Text
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// shadows counts what rehearsals keep.
func (s *stock) shadows() (n int) {
	s.t.Helper()
	scopes, err := s.lib.Scopes(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, scope := range scopes {
		if _, _, ok := library.ShadowOf(scope); ok {
			docs, err := s.lib.Documents(s.t.Context(), []string{scope})
			if err != nil {
				s.t.Fatal(err)
			}
			n += len(docs)
		}
	}
	return n
}

func (s *stock) draft(c site.RehearsedChange) string {
	s.t.Helper()
	c.Kind = site.RehearsesDocuments
	id, wrong, err := s.desk.DraftRehearsal(s.t.Context(), admin, c)
	if err != nil || len(wrong) > 0 || id == "" {
		s.t.Fatal(id, wrong, err)
	}
	return id
}

// act does something with a rehearsal, and does it again as often as the process dies.
func (s *stock) act(id string, do site.RehearsalAct, dies bool) site.RehearsalRefusal {
	s.t.Helper()
	for after := 0; ; after++ {
		if s.shelf.left = 1 << 20; dies {
			s.shelf.left = after
		}
		refused, err := s.desk.ActOnRehearsal(s.t.Context(), admin, bot.Thread{Platform: "web", Team: "local", Channel: "home"}, id, do, site.RehearsalBounds{})
		if dies && errors.Is(err, errDied) {
			continue
		}
		if err != nil {
			s.t.Fatal(err)
		}
		s.shelf.left = 1 << 20
		return refused
	}
}

// TestNewDocuments: files are found by nobody until they are accepted; those of a name that is there replace a document. Rolled back,
// all stands as before; discarded, nothing is left. All of it also where the process dies before each of its steps.
func TestNewDocuments(t *testing.T) {
	t.Parallel()
	for _, dies := range []bool{false, true} {
		t.Run(fmt.Sprintf("dies_%t", dies), func(t *testing.T) {
			t.Parallel()
			s := newStock(t)
			s.add("휴가.md", "연차는 15일이에요.\n반차는 오전에만 써요.")
			s.add("주차.md", "지하 2층이에요.")
			before := s.public()
			id := s.draft(site.RehearsedChange{To: bot.ScopePublic, Files: []site.RehearsedFile{{Name: "휴가.md", Data: []byte("연차는 16일이에요.")}, {Name: "출장.md", Data: []byte("하루 9만 원이에요.")}}})
			if got := s.public(); !slices.Equal(got, before) || s.shadows() != 2 {
				t.Errorf("before anybody accepts there are %q, and %d shadows", got, s.shadows())
			}
			if all, err := s.desk.AllDocuments(t.Context(), admin, bot.Thread{}); err != nil || len(all) != 2 {
				t.Errorf("the page lists %+v, %v", all, err)
			}
			r, err := s.desk.Rehearsal(t.Context(), admin, id)
			if err != nil || len(r.Changes) != 2 || !strings.Contains(r.Changes[0].After, "replaces") || strings.Contains(r.Changes[1].After, "replaces") || r.Undoes {
				t.Errorf("the draft is %+v, %v", r, err)
			}
			if refused := s.act(id, site.RehearsalAccept, dies); refused != "" {
				t.Fatal(refused)
			}
			if got := s.public(); !slices.Equal(got, []string{"주차.md: 지하 2층이에요.", "출장.md: 하루 9만 원이에요.", "휴가.md: 연차는 16일이에요."}) {
				t.Errorf("accepted are %q", got)
			}
			if r, err := s.desk.Rehearsal(t.Context(), admin, id); err != nil || !r.Undoes || r.State != site.RehearsalAccepted {
				t.Errorf("accepted is %+v, %v", r, err)
			}
			if refused := s.act(id, site.RehearsalRollBack, dies); refused != "" {
				t.Fatal(refused)
			}
			if got := s.public(); !slices.Equal(got, before) {
				t.Errorf("rolled back are %q, were %q", got, before)
			}
			if refused := s.act(id, site.RehearsalDiscard, dies); refused != "" || s.shadows() != 0 {
				t.Errorf("%q, %d shadows are left", refused, s.shadows())
			}
		})
	}
}

// TestDiscardedHalfWay: where accepting stops before any of its steps, discarding puts back what was taken away, also where that stops
// in the middle; so does the sweep of old rehearsals.
func TestDiscardedHalfWay(t *testing.T) {
	t.Parallel()
	for _, swept := range []bool{false, true} {
		done := false
		for after := 0; !done; after++ {
			s := newStock(t)
			s.add("a.md", "old a")
			s.add("c.md", "old c")
			before := s.public()
			id := s.draft(site.RehearsedChange{To: bot.ScopePublic, Files: []site.RehearsedFile{{Name: "a.md", Data: []byte("new a")}, {Name: "b.md", Data: []byte("new b")}, {Name: "c.md", Data: []byte("new c")}}})
			s.shelf.left = after
			_, err := s.desk.ActOnRehearsal(t.Context(), admin, bot.Thread{Platform: "web", Team: "local", Channel: "home"}, id, site.RehearsalAccept, site.RehearsalBounds{})
			if s.shelf.left = 1 << 20; !errors.Is(err, errDied) {
				if done = err == nil && after > 3; !done {
					t.Fatal(after, err)
				}
				continue
			}
			if swept {
				s.later(8 * 24 * time.Hour)
				ctx, cancel := context.WithCancel(t.Context())
				over := make(chan struct{})
				go func() { defer close(over); s.desk.Work(ctx) }()
				for s.shadows() > 0 && t.Context().Err() == nil {
					time.Sleep(time.Millisecond)
				}
				cancel()
				<-over
			} else if refused := s.act(id, site.RehearsalDiscard, true); refused != "" || s.shadows() != 0 {
				t.Errorf("after %d steps: %q, %d shadows", after, refused, s.shadows())
			}
			if got := s.public(); !slices.Equal(got, before) {
				t.Errorf("swept %t, after %d steps: %q, were %q", swept, after, got, before)
			}
		}
	}
}

// TestScopesOfNewDocuments: files are tried where documents may be moved to, no other place.
func TestScopesOfNewDocuments(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	for scope, want := range map[string]bool{rag.ScopeSample: false, "channel:web/people/u9": false, "channel:slack/T1/C9": false, "channel:slack/T1/C1": true} {
		if scope != "channel:slack/T1/C9" { // where there are no documents
			if _, err := s.lib.Add(t.Context(), bot.NewDocument{Scope: scope, Name: "x.md", By: "slack/T1/U1", Body: strings.NewReader("x")}); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := s.desk.DraftRehearsal(t.Context(), admin, site.RehearsedChange{Kind: site.RehearsesDocuments, To: scope, Files: []site.RehearsedFile{{Name: "y.md", Data: []byte("y")}}})
		if (err == nil) != want {
			t.Errorf("%s: %v", scope, err)
		}
	}
}

// TestRemovedDocumentsComeBack: documents that an accepted rehearsal removed are put back as they were.
func TestRemovedDocumentsComeBack(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	s.add("휴가.md", "연차는 15일이에요.")
	s.add("주차.md", "지하 2층이에요.")
	before := s.public()
	id := s.draft(site.RehearsedChange{Gone: []site.Chosen{{Scope: bot.ScopePublic, ID: rag.DocumentID(bot.ScopePublic, "휴가.md")}}})
	if refused := s.act(id, site.RehearsalAccept, true); refused != "" || len(s.public()) != 1 {
		t.Fatal(refused, s.public())
	}
	if refused := s.act(id, site.RehearsalRollBack, true); refused != "" || !slices.Equal(s.public(), before) {
		t.Errorf("%q: %q, were %q", refused, s.public(), before)
	}
}

// TestOthersUploadsStay: what somebody uploads after the draft is not overwritten, nor what they upload after it was accepted.
func TestOthersUploadsStay(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	file := func(text string) site.RehearsedChange {
		return site.RehearsedChange{To: bot.ScopePublic, Files: []site.RehearsedFile{{Name: "a.md", Data: []byte(text)}}}
	}
	id := s.draft(file("one"))
	s.add("a.md", "theirs")
	if refused := s.act(id, site.RehearsalAccept, false); refused != "changed" || s.public()[0] != "a.md: theirs" {
		t.Errorf("%q: %q", refused, s.public())
	}
	id = s.draft(file("two"))
	if refused := s.act(id, site.RehearsalAccept, false); refused != "" || s.public()[0] != "a.md: two" {
		t.Fatal(refused, s.public())
	}
	s.add("a.md", "theirs again")
	if refused := s.act(id, site.RehearsalRollBack, false); refused != "changed" || s.public()[0] != "a.md: theirs again" {
		t.Errorf("%q: %q", refused, s.public())
	}
	for _, to := range []string{"", "rehearsal:x/new/public", "nonsense"} {
		c := file("three")
		c.Kind, c.To = site.RehearsesDocuments, to
		if _, _, err := s.desk.DraftRehearsal(t.Context(), admin, c); err == nil {
			t.Errorf("%q is taken as a scope", to)
		}
	}
}
