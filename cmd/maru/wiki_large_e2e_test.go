package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/rag/source/confluence/confluencefake"
)

// patiently polls until something holds, for longer than awaits does.
func patiently(t *testing.T, limit time.Duration, what string, done func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	for ; !done(); time.Sleep(50 * time.Millisecond) {
		if time.Since(start) > limit {
			t.Fatal(what)
		}
	}
	return time.Since(start)
}

// TestLargeWikiOverKills reads a Confluence space of 50,000 pages (make long; otherwise 600) over three kills: none is lost
// and none is there twice. A page that changes and one that is new are fetched within a minute of the poll, without all
// others.
func TestLargeWikiOverKills(t *testing.T) {
	t.Parallel()
	pages := atSize(600, 50_000)
	wiki := confluencefake.New(t, "bot@example.com", "wiki-token")
	wiki.AtOnce(atSize(25, 250)) // so that the space is not a small one
	page := func(n int, says string) confluencefake.Page {
		return confluencefake.Page{ID: fmt.Sprint(100_000 + n), Title: fmt.Sprintf("장비 %d", n), Body: fmt.Sprintf("<p>장비 %d: %s.</p>", n, says)}
	}
	for n := range pages {
		wiki.Put(page(n, fmt.Sprintf("자산 번호는 A-%d", 700_000+n)))
	}
	fetched := map[string]bool{}
	look := func() int {
		for _, path := range wiki.Asked() {
			if rest, ok := strings.CutPrefix(path, "/wiki/api/v2/pages/"); ok {
				id, _, _ := strings.Cut(rest, "?")
				fetched[id] = true
			}
		}
		return len(fetched)
	}
	file := writeSources(t, `{name: ops, confluence: "`+wiki.Cloud("OPS")+`", user: bot@example.com, token: wiki-token, pages: 100000, every: 1m}`)
	w := wikiRun{newSlackWorld(t, brain(t), "MARU_CONFIG="+file, "MARU_HTTP_INSIDE=127.0.0.0/8"), t}
	limit := max(atMost, time.Duration(pages)*200*time.Millisecond)
	start := time.Now()
	for _, part := range []int{5, 3, 2} {
		w.start()
		patiently(t, limit, "the pages are not read", func() bool { return look() > pages/part })
		w.kill()
	}
	w.start()
	synced := func(n int) func() bool {
		return func() bool {
			look()
			before := len(w.slack.Whispers("U1"))
			w.slack.Slash("U1", "C2", "/maru", "sources")
			awaits(t, "no answer to /maru sources", func() bool { return len(w.slack.Whispers("U1")) > before })
			shown := bare(w.slack.Whispers("U1")[before].Shown())
			return strings.Contains(shown, fmt.Sprintf("문서 %d개", n)) && strings.Contains(shown, "맞춰 둠")
		}
	}
	patiently(t, limit, "the space is not in sync", synced(pages))
	t.Logf("%d pages over three kills in %s", pages, time.Since(start).Round(time.Second))

	look()
	clear(fetched)
	wiki.Put(page(7, "창고로 옮겼어요"))
	wiki.Put(page(pages, "새로 샀어요"))
	if !wholeSize() { // which does not wait for the poll
		w.says("U1", "sources sync ops", "지금 확인하고 있어요")
	}
	took := patiently(t, atMost+2*time.Minute, "the changes are not seen", func() bool { look(); return fetched["100007"] && fetched[fmt.Sprint(100_000+pages)] })
	t.Logf("two changes fetched after %s", took.Round(100*time.Millisecond))
	if wholeSize() && took > 2*time.Minute { // a minute until the poll, and a minute
		t.Errorf("changes were seen after %s", took)
	}
	patiently(t, limit, "the changes are not read", synced(pages+1))
	if n := look(); n > pages/4 {
		t.Errorf("%d pages were fetched for two changes", n)
	}
	must(t, "stop", w.stop())
	docs := w.documents()
	moved := ""
	for url, text := range docs {
		if strings.Contains(url, "/pages/100007/") {
			moved = text
		}
	}
	if len(docs) != pages+1 || !strings.Contains(moved, "창고로") {
		t.Errorf("%d documents, want %d; the changed one says %q", len(docs), pages+1, moved)
	}
}
