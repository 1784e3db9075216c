package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/adapters/web"
	"maru/adapters/web/site"
	"maru/bot"
)

// TestASampleCannotBeChosen: the buttons for chosen documents stand only on a page where one can be chosen.
func TestASampleCannotBeChosen(t *testing.T) {
	t.Parallel()
	for name, removable := range map[string]bool{"only_the_sample": false, "one_of_their_own": true} {
		list := []site.Document{{DocumentInfo: bot.DocumentInfo{ID: "s", Name: "sample.md", Sample: true}}, {DocumentInfo: bot.DocumentInfo{ID: "d", Name: "own.md", Removable: removable}}}
		got := startStaffed(t, &staffed{library: list}).person(t).get("/documents").body
		if !strings.Contains(got, "own.md") || strings.Contains(got, `class="several"`) != removable {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	c := start(t, func(cfg *web.Config) {
		cfg.MaxUpload, cfg.Formats = 1000, func(language string) string { return "Markdown, ODT for " + language }
	})
	p := c.person(t)
	got := p.upload(`..\..\출장 "규정".md`, "# 규정", "?thread=t1&tags=%23HR,+,%23,인사+규정")
	var doc bot.DocumentInfo
	if err := json.Unmarshal([]byte(got.body), &doc); err != nil || got.status != 201 || doc.Name != `출장 "규정".md` {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if body := c.bot.bodies[doc.ID]; body != "# 규정" {
		t.Errorf("stored %q", body)
	}
	if got := p.get("/api/threads/t1"); !strings.Contains(got.body, `"role":"note"`) {
		t.Errorf("the thread does not tell: %s", got.body)
	}
	if got := p.get("/documents"); !strings.Contains(got.body, "출장 &#34;규정&#34;.md") || !strings.Contains(got.body, `data-remove="`+doc.ID) || !strings.Contains(got.body, "#HR #인사 규정") || !strings.Contains(got.body, "Markdown, ODT for en · up to 1000 B each") {
		t.Errorf("the page does not list it: %s", got.body)
	}
	for name, tt := range map[string]struct {
		got  answer
		want int
		code string
	}{
		"just_fits":       {p.upload("a.txt", strings.Repeat("a", 1000), ""), 201, ""},
		"one_byte_more":   {p.upload("a.txt", strings.Repeat("a", 1001), ""), 413, "file_too_big"},
		"far_too_large":   {p.upload("a.txt", strings.Repeat("a", 2<<20), ""), 413, "file_too_big"},
		"refused_by_bot":  {p.upload("a.exe", "MZ", ""), 422, "bad_file"},
		"no_file":         {p.post("/api/documents", "file=x"), 400, "file_missing"},
		"bad_thread":      {p.upload("a.txt", "a", "?thread=a%2Fb"), 404, "not_found"},
		"remove":          {p.do(p.request("DELETE", "/api/documents/"+doc.ID, "")), 204, ""},
		"remove_again":    {p.do(p.request("DELETE", "/api/documents/"+doc.ID, "")), 404, "not_found"},
		"passage":         {p.get("/api/passages/h%2312"), 200, ""},
		"missing_passage": {p.get("/api/passages/no"), 404, "not_found"},
		"run":             {p.get("/api/runs/r1"), 200, ""},
		"missing_run":     {p.get("/api/runs/none"), 404, "not_found"},
		"no_such_door":    {p.get("/api/nothing"), 404, "no_such_page"},
	} {
		if tt.got.status != tt.want || tt.got.code() != tt.code {
			t.Errorf("%s: %d %s, want %d %q", name, tt.got.status, tt.got.body, tt.want, tt.code)
		}
	}
	for query, want := range map[string]string{
		"?size=1001":            "This file is too large: it is 1001 B, and I can read at most 1000 B",
		"?size=3000&name=a.txt": "a.txt is too large: it is 2.9 KB, and I can read at most 1000 B",
		"?name=a.txt":           "a.txt is too large: it is 2 MB, and I can read at most 1000 B",
	} {
		if got := p.upload("b.txt", strings.Repeat("a", 2<<20), query); !strings.Contains(got.body, want) {
			t.Errorf("%s: %s", query, got.body)
		}
	}
	r := p.request("POST", "/api/documents?name=raw.txt", "plain bytes")
	r.Header.Set("Content-Type", "text/plain")
	if got := p.do(r); got.status != 201 {
		t.Errorf("a raw body: %d %s", got.status, got.body)
	}
}

// Documents that were added in a conversation come with the message that is sent next.
func TestMessageBringsDocuments(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	if got := p.post(message, `{"id":"m1","text":"what is the rent?","files":["d1","d2"]}`); got.status != 202 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := p.post(message, `{"id":"m2","text":"hi","files":[""]}`); got.status != 400 {
		t.Errorf("a file without an id: %d", got.status)
	}
	c.bot.running.Wait()
	c.bot.mu.Lock()
	defer c.bot.mu.Unlock()
	if m := c.bot.messages; len(m) != 1 || len(m[0].Files) != 2 || m[0].Files[0].Document != "d1" || m[0].Files[1].Document != "d2" {
		t.Errorf("messages %+v", m)
	}
}
