package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
	"maru/rag"
	"maru/rag/local"
)

// docsSite returns a website of pages with a sitemap, which counts what it is asked.
func docsSite(t *testing.T, pages int) (site *httptest.Server, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var n int
		switch _, err := fmt.Sscanf(r.URL.Path, "/page/%d", &n); {
		case r.URL.Path == "/sitemap.xml":
			fmt.Fprint(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for i := range pages {
				fmt.Fprintf(w, "<url><loc>http://%s/page/%d</loc></url>", r.Host, i)
			}
			fmt.Fprint(w, "</urlset>")
		case err == nil && n < pages:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<title>Rule %d</title><main><p>Rule %d is about room number %d.</p></main>", n, n, 1000+n)
			if n == 7 {
				fmt.Fprint(w, "<main><h1>휴가</h1><p>신입 사원의 연차는 1년에 15일이에요.</p></main>")
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	return site, asked
}

// awaits polls until something holds.
func awaits(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(atMost); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// TestSlackSourceOverKills kills the program with SIGKILL while it syncs a website of its configuration file: no page is
// lost and none is there twice. An answer links to the page itself.
func TestSlackSourceOverKills(t *testing.T) {
	t.Parallel()
	const pages = 150
	site, asked := docsSite(t, pages)
	file := filepath.Join(t.TempDir(), "maru.yaml")
	must(t, "write", os.WriteFile(file, []byte("sources:\n  - {name: rules, website: \""+site.URL+"/\", every: 1m}\n"), 0o600))
	w := newSlackWorld(t, brain(t), "MARU_CONFIG="+file, "MARU_HTTP_INSIDE=127.0.0.0/8")
	for _, n := range []int64{20, 70} {
		w.start()
		awaits(t, "the site is not read", func() bool { return asked.Load() > n })
		w.kill()
	}
	w.start()
	said := func(words string) bool {
		before := len(w.slack.Whispers("U1"))
		w.slack.Slash("U1", "C2", "/maru", words)
		awaits(t, "no answer to /maru "+words, func() bool { return len(w.slack.Whispers("U1")) > before })
		return strings.Contains(bare(w.slack.Whispers("U1")[before].Shown()), "문서 150개")
	}
	awaits(t, "the site is not in sync", func() bool { return said("sources") })
	root := w.slack.Say("U1", "C2", "<@UBOT> 연차는 며칠이야?", "")
	w.await("C2", root, 1, "15일")
	var all strings.Builder
	for _, m := range w.slack.Messages("C2", root) {
		all.Write(m.Blocks)
	}
	if !strings.Contains(all.String(), site.URL+"/page/7|") {
		t.Errorf("the answer does not link to the page: %s", all.String())
	}
	must(t, "stop", w.stop())
	index, err := local.Open(t.Context(), local.Config{Dir: filepath.Join(w.dir, "data", "index"), Log: slog.New(slog.DiscardHandler)})
	must(t, "open the index", err)
	defer index.Close()
	docs, err := index.Documents(t.Context(), []string{bot.ScopePublic})
	must(t, "list", err)
	seen := map[string]rag.Document{}
	for _, d := range docs {
		seen[d.URL] = d
	}
	if len(docs) != pages || len(seen) != pages {
		t.Errorf("%d documents of %d addresses, want %d", len(docs), len(seen), pages)
	}
	if n := asked.Load(); n > pages+3*(2+5) { // a sitemap and robots.txt for each start, and what was asked when it was killed
		t.Logf("%d requests for %d pages", n, pages)
	}
}
