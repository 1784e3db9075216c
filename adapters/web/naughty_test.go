//go:build !race

package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"maru/adapters/web"
	"maru/adapters/web/site"
	"maru/bot"
	"maru/datatest"
)

// doors fills every field of a bot that a person, a document, a model or another
// platform's name can fill.
func doors(texts []string) *echo {
	e := newEcho()
	at := bot.Thread{Platform: "web", Team: "local", Channel: "home", Direct: true}
	e.docs, e.cards = nil, nil
	forms := make(map[string]bot.Answer, len(texts))
	e.onAction = func(a bot.Action) (bot.Answer, error) { return forms[a.ID], nil }
	for i, s := range texts {
		t := at
		t.ID = fmt.Sprint("t", i)
		c := e.conversation(t)
		c.info.Title = s
		m := bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: fmt.Sprint("m", i)}
		first := e.conversation(bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t0", Direct: true})
		first.entries = append(first.entries, bot.Entry{ID: m.Key(), Thread: t.Key(), Text: s, At: e.now()})
		card := bot.Card{
			Kind: bot.CardPlan, Title: s, Text: s, Status: s, Footer: s, Run: s,
			Steps:   []bot.Step{{Text: s, Detail: s, State: bot.StepDone}},
			Fields:  []bot.Field{{Label: s, Value: s}},
			Buttons: []bot.Button{{ID: s, Verb: s, Label: s, Spoken: s}, {URL: "https://example.com/", Label: s}},
			Leads:   []bot.Lead{{Thread: t, Title: s, Detail: s}},
		}
		forms[fmt.Sprint("a", i)] = bot.Answer{Card: &card, Form: &bot.Form{ID: s, Verb: s, Title: s, Submit: s, Inputs: []bot.Input{
			{ID: s, Label: s, Value: s, Hint: s}, {ID: s, Label: s, Value: s, Long: true},
			{ID: s, Label: s, Value: s, Options: []bot.Option{{Value: s, Label: s}}}, {ID: s, Label: s, Value: s, Several: []bot.Option{{Value: s, Label: s}}},
		}}}
		done := card
		done.Text = s + "\n\ncited [1][2]"
		done.Final, done.Files = true, []bot.Artifact{{Name: s, Size: 1}, {Run: "r1", Name: s}}
		done.Sources = []bot.Source{{N: 1, Title: s, Heading: s, Quote: s, Chunk: s}, {N: 2, Title: s, URL: s, Quote: s}}
		e.posted = append(e.posted, bot.PostedCard{Ref: bot.Ref{Thread: t, Messages: []string{fmt.Sprint("a", i)}}, Card: card}, bot.PostedCard{Ref: bot.Ref{Thread: t, Messages: []string{fmt.Sprint("d", i)}}, Card: done})
		e.cards = append(e.cards, card)
		e.docs = append(e.docs, bot.DocumentInfo{ID: s, Title: s, Name: s, MIME: s, Unread: s, Removable: true})
	}
	return e
}

// shape returns what a page is made of: its elements with their attributes, and where the
// addresses in it lead.
func shape(t *testing.T, body string) map[string]bool {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]bool)
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		out[n.Data] = true
		for _, a := range n.Attr {
			out[n.Data+" "+a.Key] = true
			if a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "data-away" || a.Key == "data-link" {
				out[n.Data+" "+a.Key+" "+leads.FindString(a.Val)] = true
			}
		}
		if n.Data == "script" && n.FirstChild != nil && !json.Valid([]byte(n.FirstChild.Data)) {
			out["script that is no JSON"] = true
		}
	}
	return out
}

// leads is where an address leads: a page of ours by its first name, or its scheme.
var leads = regexp.MustCompile(`^(/[a-z]*|#|[a-zA-Z][^:/]*:|.?)`)

// perPage is how many rows the longest pages have.
const perPage = 100

// naughtyDesk has the texts wherever pages about the program show words of others.
func naughtyDesk(texts []string) *staffed {
	s := &staffed{echo: doors(texts), runs: manyRuns(len(texts)), library: manyDocuments(len(texts))}
	for i, text := range texts {
		r := &s.runs[i]
		r.Title, r.Agent, r.User, r.Name, r.Thread.Channel = text, text, text, text, text
		d := &s.library[i]
		d.Title, d.Name, d.Tags, d.Unread = text, text, []string{text}, text
		s.found = append(s.found, site.Probed{Title: text, Heading: text, Text: text, Chunk: text, Scope: "channel:" + text, Rank: 1})
		s.waiting = append(s.waiting, site.Waiting{
			ID: fmt.Sprint("a", i), Run: text, Digest: text, Thread: r.Thread, Title: text, Question: text, Detail: text, Steps: []string{text}, Asker: text, Others: []string{text}, Created: ranAt,
			Actions: []site.WaitingAction{{Verb: "accept", Label: text}, {Verb: "edit", Label: text, Inputs: []bot.Input{{ID: "a", Label: text, Hint: text, Value: text}, {ID: "b", Long: true, Value: text}, {ID: "c", Options: []bot.Option{{Value: text, Label: text}}}}}},
		})
	}
	return s
}

// TestNothingAnybodyWritesBecomesMarkup: a page full of hostile words is made of what a
// page of harmless ones is made of.
func TestNothingAnybodyWritesBecomesMarkup(t *testing.T) {
	t.Parallel()
	var all, texts []string
	if err := json.Unmarshal(datatest.File(t, "blns/blns.json"), &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range datatest.Thin(t, all, 8) {
		if strings.ContainsAny(s, `<>"'&`) || strings.Contains(strings.ToLower(s), "script") || strings.Contains(s, "{") {
			texts = append(texts, s)
		}
	}
	texts = append(texts, `</script><script>alert(1)</script>`, `" onfocus="alert(1)" autofocus="`, `' onclick='alert(1)`, "</title><img src=x onerror=alert(1)>",
		`javascript:alert(1)`, `/\evil.example`, `//evil.example`, `../../evil`, `[x](javascript:alert(1))`, "`</code><b>`", `{{.Token}}`, "</textarea><input>", "--><b>", "]]><b>")
	// What Markdown makes of words, harmless or not; markdown_test.go looks at its values.
	harmless := []string{"plain", "# h\n\n## h\n\n### h\n\n#### h\n\n- [ ] a\n\n1. b\n\n> c\n\n*d* **e** ~~f~~ `g` [h](https://example.com/) https://example.com <a@example.com>\n\n---\n\n```x\ni\n```\n\n    j\n\n| k | l |\n|:--|--:|\n| 1 | [1][2] |\n\na  \nb\n\n<b>\n\n[x](javascript:1)", "3. c", "https://example.com/", "안녕하세요 여러분", "hello", "Привет мир", "مرحبا", "こんにちは", "ไทย", "中文"}
	pages := func(texts []string) map[string]string {
		for len(texts) <= perPage { // as many on both sides: a list of several pages leads through them
			texts = append(texts, texts...)
		}
		s := naughtyDesk(texts)
		c := startDesk(t, s.echo, s)
		p := c.person(t)
		out := make(map[string]string)
		paths := []string{"/t/t0?last=5000", "/documents", "/me", "/fragments/threads?current=t0", "/passages/h%2312", "/runs/r1", "/login?next=" + url.QueryEscape(strings.Join(texts, "")), "/nothing?" + url.QueryEscape(texts[0]),
			"/runs?agent=" + url.QueryEscape(texts[0]), "/approvals", "/search?q=" + url.QueryEscape(texts[0]), "/audit?who=" + url.QueryEscape(texts[0]), "/usage"}
		for n := range len(texts) / 50 { // what the first page has no room for
			paths = append(paths, fmt.Sprint("/documents?page=", n+1), fmt.Sprintf("/runs?before=%d_x", ranAt.Add(-time.Duration(50*n)*time.Second).UnixMicro()))
		}
		for _, path := range paths {
			got := p.get(path)
			name, _, _ := strings.Cut(path, "?")
			out[name] += got.body
			if csp := got.header.Get("Content-Security-Policy"); got.status < 300 && !strings.Contains(csp, "default-src 'none'") {
				t.Errorf("%s has the policy %q", path, csp)
			}
		}
		for i := range texts[:min(len(texts), 60)] {
			var answer struct{ HTML string }
			if err := json.Unmarshal([]byte(p.post(fmt.Sprint("/api/actions/a", i, "?view=html"), `{"verb":"v","thread":"t0"}`).body), &answer); err != nil || answer.HTML == "" {
				t.Errorf("no form for %q: %v", texts[i], err)
			}
			out["a form"] += answer.HTML
		}
		return out
	}
	want := pages(harmless)
	for path, body := range pages(texts) {
		known := shape(t, want[path])
		for part := range shape(t, body) {
			if !known[part] {
				t.Errorf("%s: hostile words became %q", path, part)
			}
		}
	}
}

// TestEveryChangeNeedsTheToken: no route that changes something takes a request of a
// browser that is not from one of our pages, and no page may be in another.
func TestEveryChangeNeedsTheToken(t *testing.T) {
	t.Parallel()
	var source []byte
	for _, name := range []string{"routes.go", filepath.Join("site", "site.go")} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, b...)
	}
	c := startStaffed(t, &staffed{})
	p := c.person(t)
	routes := regexp.MustCompile(`"(POST|DELETE|PUT|PATCH) (/[^"]*)"[:\]]`).FindAllStringSubmatch(string(source), -1)
	for _, m := range routes {
		path := regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(m[2], "x1")
		for name, change := range map[string]func(http.Header){
			"no token":     func(h http.Header) { h.Del("X-CSRF-Token") },
			"another site": func(h http.Header) { h.Set("Origin", "https://evil.example") },
		} {
			r := p.request(m[1], path, "{}")
			change(r.Header)
			got := p.do(r)
			if got.status != http.StatusForbidden {
				t.Errorf("%s %s, %s: %d", m[1], m[2], name, got.status)
			}
			if h := got.header; h.Get("X-Frame-Options") != "DENY" || !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %s: %v", m[1], m[2], h)
			}
		}
	}
	if len(routes) < 14 {
		t.Errorf("only %d routes change something", len(routes))
	}
}

// TestNobodyIsLedAway: what follows a login or a choice of the language is a page of ours.
func TestNobodyIsLedAway(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *web.Config) { c.Login = "correct horse" })
	p := c.person(t)
	for _, next := range []string{
		"//evil.example/", `/\evil.example`, `\\evil.example`, "https://evil.example/", "http:evil.example", "/\t/evil.example", "/\n/evil.example", "///evil.example",
		"javascript:alert(1)", " //evil.example", "/.//evil.example", "/..//evil.example", "/./\\evil.example", "//evil.example\\@127.0.0.1", "/%09/evil.example", "/%5cevil.example", "evil.example", "@evil.example", "?x", "",
	} {
		got := p.post("/preferences", url.Values{"lang": {"en"}, "next": {next}, "csrf": {p.token}}.Encode())
		at, err := mustURL(t, c.URL+"/preferences").Parse(got.header.Get("Location"))
		if got.status != http.StatusSeeOther || err != nil || "http://"+at.Host != c.URL || strings.HasPrefix(got.header.Get("Location"), "//") || strings.Contains(got.header.Get("Location"), `\`) {
			t.Errorf("%q leads to %q (%d)", next, got.header.Get("Location"), got.status)
		}
	}
}

// TestASessionIsNotGiven: a session that somebody planted in a browser is not the one
// that its person signs in with, and what was of it is of no use afterwards.
func TestASessionIsNotGiven(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *web.Config) { c.Login = "correct horse" })
	attacker, victim := c.person(t), c.person(t)
	at := mustURL(t, c.URL)
	victim.client.Jar.SetCookies(at, attacker.client.Jar.Cookies(at))
	victim.reload()
	if victim.token != attacker.token {
		t.Fatal("the session was not planted")
	}
	if got := victim.post("/login", url.Values{"password": {"correct horse"}, "csrf": {victim.token}}.Encode()); got.status != http.StatusSeeOther {
		t.Fatalf("%d", got.status)
	}
	if got := attacker.get("/api/threads"); got.status != http.StatusUnauthorized {
		t.Errorf("who planted it is signed in: %d", got.status)
	}
	if got := victim.post(message, `{"text":"hi"}`); got.code() != "wrong_token" {
		t.Errorf("the planted session's token still holds: %d %s", got.status, got.body)
	}
}
