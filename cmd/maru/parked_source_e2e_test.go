package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestSlackSourceWithADeadlyPage: the program is killed each time it reads one page of a wiki. After the second time that
// page is set aside and named, all others can be asked about, and an admin tries it again.
func TestSlackSourceWithADeadlyPage(t *testing.T) {
	t.Parallel()
	var deadly atomic.Bool
	var reads atomic.Int64
	deadly.Store(true)
	killed, over := make(chan struct{}), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch _, err := fmt.Sscanf(r.URL.Path, "/page/%d", &n); {
		case r.URL.Path == "/sitemap.xml":
			fmt.Fprint(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for i := range 8 {
				fmt.Fprintf(w, "<url><loc>http://%s/page/%d</loc></url>", r.Host, i)
			}
			fmt.Fprint(w, "</urlset>")
		case err != nil:
			http.NotFound(w, r)
		case n == 3 && deadly.Load():
			reads.Add(1)
			select {
			case killed <- struct{}{}:
			case <-over:
			}
			<-r.Context().Done()
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<title>%d번 창고</title><main><p>%d번 창고의 담당자는 창고지기%d 님이에요.</p></main>", n, n, n)
		}
	}))
	t.Cleanup(func() { close(over); site.Close() })
	file := filepath.Join(t.TempDir(), "maru.yaml")
	must(t, "write", os.WriteFile(file, []byte("sources:\n  - {name: depots, website: \""+site.URL+"/\", every: 1m}\n"), 0o600))
	w := newSlackWorld(t, brain(t), "MARU_CONFIG="+file, "MARU_HTTP_INSIDE=127.0.0.0/8")
	for range 3 { // deaths that park an item
		w.start()
		<-killed
		w.kill()
	}
	w.start()
	told := func(words string) string {
		before := len(w.slack.Whispers("U1"))
		w.slack.Slash("U1", "C2", "/maru", words)
		awaits(t, "no answer to /maru "+words, func() bool { return len(w.slack.Whispers("U1")) > before })
		return bare(w.slack.Whispers("U1")[before].Shown())
	}
	awaits(t, "the page is not set aside", func() bool { return strings.Contains(told("sources"), "따로 빼 둔 문서 1개") })
	awaits(t, "the other pages are not read", func() bool { return strings.Contains(told("sources"), "문서 7개") })
	if said := told("sources depots"); !strings.Contains(said, site.URL+"/page/3") || !strings.Contains(said, "재시도 depots") {
		t.Errorf("the page is not named: %s", said)
	}
	told("sources sync depots") // a look, which leaves the page alone
	deadly.Store(false)
	if said := told("출처 재시도 depots"); !strings.Contains(said, "다시 읽어 볼게요") {
		t.Errorf("the retry is told %s", said)
	}
	awaits(t, "the page is not read again", func() bool {
		said := told("sources")
		return strings.Contains(said, "문서 8개") && !strings.Contains(said, "따로 빼 둔")
	})
	if n := reads.Load(); n != 3 {
		t.Errorf("the deadly page was read %d times", n)
	}
}
