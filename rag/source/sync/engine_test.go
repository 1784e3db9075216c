package sync_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"maru/bot"
	"maru/rag"
	"maru/rag/source"
)

// TestSiteWithSitemaps follows 300 pages that sitemaps name through changes, deletions, errors and limits.
func TestSiteWithSitemaps(t *testing.T) {
	t.Parallel()
	for name, mods := range map[string]bool{"with days": true, "without days": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.mapped, s.mods, s.robots = true, mods, "User-agent: *\nDisallow: /private/\n"
			for i := range 300 {
				s.set(fmt.Sprintf("/p/%03d", i), page{text: fmt.Sprintf("The number of this page is %d.", i)})
			}
			s.set("/private/x", page{text: "secret"})
			s.set("/moved", page{to: "/p/000"})
			s.fails["/p/007"], s.refused["/p/009"] = 2, 2
			s.set("/p/300", page{status: http.StatusInternalServerError})
			w := newWorld(t, row("docs", s.URL+"/"))
			r := w.look()
			docs := w.docs(s.URL)
			if len(docs) != 301 || !strings.Contains(docs["/p/007"], "is 7.") || !strings.Contains(docs["/p/009"], "is 9.") || !strings.Contains(docs["/moved"], "is 0.") {
				t.Fatalf("%d documents, %+v", len(docs), r.Progress)
			}
			if s.requests("/private/x") != 0 {
				t.Error("asked for what robots.txt forbids")
			}
			n, err := w.store.CountItems(t.Context(), "docs")
			if err != nil || n[source.Failed] != 1 || n[source.Synced] != 301 {
				t.Errorf("%v, %v", n, err)
			}

			s.set("/p/001", page{text: "It was rewritten."})
			s.set("/p/new", page{text: "It is new."})
			s.set("/p/300", page{text: "It works again."})
			s.remove("/p/002")
			before := s.requests("")
			w.look()
			w.want(s.URL, "/p/001", "rewritten")
			w.want(s.URL, "/p/new", "is new")
			w.want(s.URL, "/p/300", "works again")
			w.want(s.URL, "/p/002", "")
			asked := s.requests("") - before
			if mods && asked > 20 || !mods && s.same < 295 {
				t.Errorf("%d requests, %d answers that nothing changed", asked, s.same)
			}

			s.with(func() { s.down = true })
			if r := w.look(); !strings.Contains(r.Progress.Why.In("en"), "status 502") || !strings.Contains(r.Progress.Why.In("ko"), "502") || len(w.docs(s.URL)) != 302 {
				t.Errorf("a site that is down: %+v, %d documents", r.Progress, len(w.docs(s.URL)))
			}
			s.with(func() { s.down, s.pages = false, map[string]*page{} })
			if r := w.look(); r.Progress.Why == nil || len(w.docs(s.URL)) != 302 {
				t.Errorf("a site that names nothing: %+v, %d documents", r.Progress, len(w.docs(s.URL)))
			}
		})
	}
}

// TestSiteWithoutSitemap follows links from the first page, within bounds.
func TestSiteWithoutSitemap(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.robots = "User-agent: other\nDisallow: /\n\nUser-agent: Maru\nUser-agent: x\nDisallow: /no*.html$\nAllow: /docs/\n"
	s.set("/docs/", page{text: "Start here.", links: []string{"a", "b?x=1#part", "/outside", "nope.html", "img.png", "https://elsewhere.example.com/", "moved", "away", "gone", "/loop/", "mailto:x@example.com", "quiet"}})
	s.set("/docs/a", page{text: "This is a.", links: []string{"deep", "/docs/"}})
	s.set("/docs/b?x=1", page{text: "This is b."})
	s.set("/docs/deep", page{text: "This is deep."})
	s.set("/docs/moved", page{to: "/docs/target"})
	s.set("/docs/target", page{text: "This is the target."})
	s.set("/docs/away", page{to: "https://elsewhere.example.com/x"})
	s.set("/docs/quiet", page{text: "Nobody should find me.\"><meta name=robots content=noindex><a href=beyond>", links: nil})
	s.set("/docs/beyond", page{text: "Beyond."})
	s.set("/outside", page{text: "Outside."})
	w := newWorld(t, row("docs", s.URL+"/docs/"))
	r := w.look()
	got := w.docs(s.URL)
	if len(got) != 6 || got["/docs/target"] == "" || got["/docs/b?x=1"] == "" || got["/docs/beyond"] == "" {
		t.Fatalf("%v, %+v", got, r.Progress)
	}
	items, err := w.store.SourceItems(t.Context(), "docs", source.Query{States: []source.State{source.Refused}})
	if err != nil || len(items) != 1 || !strings.Contains(items[0].Why.In("en"), "elsewhere.example.com/x, which isn't part") {
		t.Errorf("%+v, %v", items, err)
	}
	s.remove("/docs/deep")
	s.set("/docs/a", page{text: "This is another a.", links: []string{"fresh"}})
	s.set("/docs/fresh", page{text: "Fresh."})
	w.look()
	w.want(s.URL, "/docs/deep", "")
	w.want(s.URL, "/docs/a", "another a")
	w.want(s.URL, "/docs/fresh", "Fresh")
	s.remove("/docs/")
	if r := w.look(); !strings.Contains(r.Progress.Why.In("en"), "/docs/ isn't there") || len(w.docs(s.URL)) != 6 {
		t.Errorf("%+v", r.Progress)
	}
}

// TestSiteThatLoops bounds pages that lead on for ever.
func TestSiteThatLoops(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := row("docs", s.URL+"/loop/")
	r.Spec.Pages, r.Spec.Depth = 30, 50
	w := newWorld(t, r)
	w.look()
	if n := len(w.docs(s.URL)); n == 0 || n > 30 || s.requests("") > 40 {
		t.Errorf("%d documents, %d requests", n, s.requests(""))
	}
}

// TestSourceAsksToWait leaves a source alone for as long as it says.
func TestSourceAsksToWait(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mapped = true
	s.set("/a", page{status: http.StatusServiceUnavailable, after: "600"})
	w := newWorld(t, row("docs", s.URL+"/"))
	r := w.look()
	if left := time.Until(r.Progress.Due); left < 9*time.Minute || left > 10*time.Minute || r.Progress.Phase != source.Fetching || !strings.Contains(r.Progress.Why.In("ko"), "기다려") {
		t.Errorf("%+v", r.Progress)
	}
}

// TestReadersOfASourceChange moves the documents of a source to another scope, and removes them with it.
func TestReadersOfASourceChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mapped = true
	s.set("/a", page{text: "For all."})
	s.set("/b", page{text: "PDF?", mime: "application/pdf"})
	w := newWorld(t, row("docs", s.URL+"/"))
	w.look()
	count := func(scope string, own bool) (n int) {
		docs, err := w.lib.Documents(t.Context(), []string{scope})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			if n++; d.Own != own || d.URL != s.URL+"/a" || d.By != "source:docs" {
				t.Errorf("%+v", d)
			}
		}
		return n
	}
	if count(bot.ScopePublic, false) != 1 {
		t.Fatal("no document")
	}
	refused, err := w.store.SourceItems(t.Context(), "docs", source.Query{States: []source.State{source.Refused}})
	if err != nil || len(refused) != 1 || !strings.Contains(refused[0].Why.In("en"), "extension") {
		t.Errorf("%+v, %v", refused, err)
	}
	w.rows[0].Spec.Scope, w.rows[0].Spec.Own = "channel:slack/T1/C1", true
	w.run(func(r source.Row) bool { return r.Progress.Of.Own && r.Progress.Phase == source.Idle })
	if count(bot.ScopePublic, false) != 0 || count("channel:slack/T1/C1", true) != 1 {
		t.Error("the documents did not move")
	}
	r := w.look()
	r.Removed = true
	if _, err := w.store.PutSource(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w.rows = nil
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.engine().Run(ctx) }()
	for {
		if rows, err := w.store.Sources(t.Context()); err != nil || len(rows) == 0 {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	cancel()
	<-done
	if count("channel:slack/T1/C1", true) != 0 {
		t.Error("the documents of a removed source stay")
	}
}

// TestDocumentsThatTheIndexLost are fetched again at the next look.
func TestDocumentsThatTheIndexLost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mapped, s.mods = true, true
	s.set("/a", page{text: "Here."})
	w := newWorld(t, row("docs", s.URL+"/"))
	w.look()
	if gone, err := w.index.Delete(t.Context(), bot.ScopePublic, rag.DocumentID(bot.ScopePublic, s.URL+"/a")); err != nil || !gone {
		t.Fatal(gone, err)
	}
	w.look()
	w.want(s.URL, "/a", "Here")
}

// TestSourcesThatLeftTheFile keep their documents, and nobody looks at them.
func TestSourcesThatLeftTheFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mapped = true
	s.set("/a", page{text: "Here."})
	w := newWorld(t, row("docs", s.URL+"/"))
	w.look()
	rows := w.rows
	w.rows = nil
	w.run(func(r source.Row) bool { return r.Left })
	w.want(s.URL, "/a", "Here")
	w.rows = rows
	w.run(func(r source.Row) bool { return !r.Left })
}

// TestOneReplicaAtATime lets two engines look at one source: every page is fetched once.
func TestOneReplicaAtATime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mapped = true
	for i := range 60 {
		s.set(fmt.Sprintf("/p/%d", i), page{text: fmt.Sprint("Page ", i)})
	}
	w := newWorld(t, row("docs", s.URL+"/"))
	ctx, cancel := context.WithCancel(t.Context())
	other := make(chan struct{})
	w.owner = "two"
	second := w.engine()
	w.owner = "one"
	go func() { defer close(other); second.Run(ctx) }()
	w.run(func(r source.Row) bool { return !r.Progress.Done.IsZero() })
	cancel()
	<-other
	if len(w.docs(s.URL)) != 60 {
		t.Errorf("%d documents", len(w.docs(s.URL)))
	}
	for i := range 60 {
		if n := s.requests(fmt.Sprintf("/p/%d", i)); n != 1 {
			t.Errorf("page %d was fetched %d times", i, n)
		}
	}
}

// TestLooksThatAreBrokenOff goes on where a look stopped, again and again.
func TestLooksThatAreBrokenOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mapped = true
	for i := range 80 {
		s.set(fmt.Sprintf("/p/%d", i), page{text: fmt.Sprint("Page ", i)})
	}
	w := newWorld(t, row("docs", s.URL+"/"))
	for stop := 5; stop < 80; stop += 15 {
		w.run(func(source.Row) bool { return s.requests("") > stop })
	}
	w.run(func(r source.Row) bool { return !r.Progress.Done.IsZero() })
	if n := len(w.docs(s.URL)); n != 80 || s.requests("") > 80+8*5 {
		t.Errorf("%d documents, %d requests", n, s.requests(""))
	}
}
