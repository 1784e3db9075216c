package web_test

import (
	"net/http"
	"strings"
	"testing"

	"maru/bot"
)

// Files of a run are below its answer, while it is new and after a restart, and
// are saved, never opened as a page.
func TestFilesBelowAnAnswer(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.answer = func(m bot.Message) []bot.Card {
		run := "r" + m.ID
		return []bot.Card{{Kind: bot.CardText, Text: "made", Run: run, Final: true, Files: []bot.Artifact{{Run: run, Name: "결과.md", Size: 8}}}}
	}
	e.files = []bot.Artifact{
		{Run: "rm1", N: 0, Name: "결과.md", MIME: "text/markdown", Size: 8, Data: []byte("# 결과")},
		{Run: "rm1", N: 1, Name: "<page>.html", MIME: "text/html", Size: 26, Data: []byte("<script>alert(1)</script>")},
	}
	c := startWith(t, e)
	p := c.person(t)
	p.post(message, `{"id":"m1","text":"hi"}`)
	e.running.Wait()
	if page := p.get("/t/t1").body; !strings.Contains(page, `href="/runs/rm1/files/0"`) {
		t.Errorf("the new answer links to no file: %s", page)
	}
	again := startWith(t, e).person(t) // after a restart the record tells
	if page := again.get("/t/t1").body; !strings.Contains(page, `href="/runs/rm1/files/0"`) || !strings.Contains(page, `href="/runs/rm1/files/1"`) || strings.Contains(page, "<page>") {
		t.Errorf("the old answer: %s", page)
	}
	for path, kind := range map[string]string{
		"/runs/rm1/files/0": "text/markdown; charset=utf-8", "/api/runs/rm1/files/0": "text/markdown; charset=utf-8",
		"/runs/rm1/files/1": "application/octet-stream; charset=utf-8",
	} {
		got := p.get(path)
		h := got.header
		if got.status != http.StatusOK || h.Get("Content-Type") != kind || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment;") ||
			h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || !strings.Contains(h.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: %d %v", path, got.status, h)
		}
	}
	if got := p.get("/runs/rm1/files/0").body; got != "# 결과" {
		t.Errorf("bytes %q", got)
	}
	for _, path := range []string{"/runs/rm1/files/2", "/runs/other/files/0", "/runs/rm1/files/-1", "/runs/rm1/files/x"} {
		if got := p.get(path); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

// What a command made a file of is linked to, and made for who opens the link.
func TestExportBelowACommand(t *testing.T) {
	t.Parallel()
	p := startWith(t, newEcho()).person(t)
	p.post(message, `{"id":"m1","text":"/maru usage csv"}`)
	const at = "/exports/usage-2026-11-01-2026-11-02.csv"
	if page := p.get("/t/t1").body; !strings.Contains(page, `href="`+at+`" download`) {
		t.Errorf("no link: %s", page)
	}
	for _, path := range []string{at, "/api" + at} {
		got := p.get(path)
		if h := got.header; got.status != http.StatusOK || h.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(h.Get("Cache-Control"), "no-store") ||
			h.Get("Content-Disposition") != "attachment; filename=usage-2026-11-01-2026-11-02.csv" || got.body != "day,user\n2026-11-01,owner\n" {
			t.Errorf("%s: %d %v %q", path, got.status, h, got.body)
		}
	}
	if got := p.get("/exports/passwords.csv"); got.status != http.StatusNotFound {
		t.Errorf("another name: %d", got.status)
	}
}
