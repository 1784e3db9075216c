package web_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"maru/adapters/web"
	"maru/bot"
)

func TestOnlyOurOwnPagesChangeAnything(t *testing.T) {
	t.Parallel()
	c := start(t)
	set := func(kv ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(kv); i += 2 {
				if kv[i+1] == "" {
					r.Header.Del(kv[i])
				} else {
					r.Header.Set(kv[i], kv[i+1])
				}
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(*http.Request)
		status int
		code   string
	}{
		"our_page":               {set(), 202, ""},
		"no_token":               {set("X-CSRF-Token", ""), 403, "wrong_token"},
		"another_token":          {set("X-CSRF-Token", strings.Repeat("a", 64)), 403, "wrong_token"},
		"another_site":           {set("Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"), 403, "wrong_origin"},
		"another_site_old":       {set("Origin", "https://evil.example", "Sec-Fetch-Site", ""), 403, "wrong_origin"},
		"origin_null":            {set("Origin", "null", "Sec-Fetch-Site", ""), 403, "wrong_origin"},
		"another_port":           {set("Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site"), 403, "wrong_origin"},
		"rebound_name":           {func(r *http.Request) { r.Host = "evil.example"; r.Header.Set("Origin", "http://evil.example") }, 421, "wrong_host"},
		"rebound_name_with_port": {func(r *http.Request) { r.Host = "evil.example:8080"; r.Header.Del("Origin") }, 421, "wrong_host"},
		"loopback_in_a_name":     {func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 421, "wrong_host"},
		"localhost":              {func(r *http.Request) { r.Host = "localhost:9"; r.Header.Set("Origin", "http://localhost:9") }, 202, ""},
		"six":                    {func(r *http.Request) { r.Host = "[::1]:9"; r.Header.Set("Origin", "http://[::1]:9") }, 202, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := c.person(t)
			r := p.request("POST", message, `{"text":"hi"}`)
			tt.change(r)
			if got := p.do(r); got.status != tt.status || got.code() != tt.code {
				t.Errorf("%d %s, want %d %q", got.status, got.body, tt.status, tt.code)
			}
		})
	}
	t.Run("reading_by_a_rebound_name", func(t *testing.T) {
		t.Parallel()
		p := c.person(t)
		r := p.request("GET", "/", "")
		r.Host = "evil.example"
		if got := p.do(r); got.status != 421 || !strings.Contains(got.body, "127.0.0.1") {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestProgramsNeedNoCookie(t *testing.T) {
	t.Parallel()
	c := start(t)
	for name, tt := range map[string]struct {
		header []string
		body   string
		status int
	}{
		"json":                    {[]string{"Content-Type", "application/json"}, `{"text":"hi"}`, 202},
		"named_client":            {[]string{"X-Maru-Client", "ci"}, `{"text":"hi"}`, 202},
		"what_a_form_could_send":  {[]string{"Content-Type", "text/plain"}, `{"text":"hi"}`, 403},
		"our_page_without_cookie": {[]string{"Content-Type", "application/json", "Origin", c.URL, "Sec-Fetch-Site", "same-origin"}, `{"text":"hi"}`, 202},
		"our_name_another_site":   {[]string{"Content-Type", "application/json", "Origin", c.URL, "Sec-Fetch-Site", "cross-site"}, `{"text":"hi"}`, 403},
		"json_from_another_site":  {[]string{"Content-Type", "application/json", "Origin", "https://evil.example"}, `{"text":"hi"}`, 403},
		"json_of_a_fetching_page": {[]string{"Content-Type", "application/json", "Sec-Fetch-Site", "cross-site"}, `{"text":"hi"}`, 403},
		"json_with_a_cookie":      {[]string{"Content-Type", "application/json", "Cookie", "maru=x"}, `{"text":"hi"}`, 403},
		"unknown_field":           {[]string{"Content-Type", "application/json"}, `{"txt":"hi"}`, 400},
		"two_values":              {[]string{"Content-Type", "application/json"}, `{"text":"a"}{"text":"b"}`, 400},
		"nothing_said":            {[]string{"Content-Type", "application/json"}, `{"text":" \u200b "}`, 400},
		"too_much_said":           {[]string{"Content-Type", "application/json"}, `{"text":"` + strings.Repeat("가", 32_001) + `"}`, 413},
		"a_huge_body":             {[]string{"Content-Type", "application/json"}, `{"text":"` + strings.Repeat("a", 2<<20) + `"}`, 413},
		"a_bad_id":                {[]string{"Content-Type", "application/json"}, `{"text":"a","id":"a/b"}`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := http.NewRequestWithContext(t.Context(), "POST", c.URL+message, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(tt.header); i += 2 {
				r.Header.Set(tt.header[i], tt.header[i+1])
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			b, _ := io.ReadAll(res.Body)
			if res.StatusCode != tt.status {
				t.Errorf("%d %s, want %d", res.StatusCode, b, tt.status)
			}
			if len(res.Cookies()) > 0 && tt.status < 400 {
				t.Error("a program was given a cookie")
			}
		})
	}
}

func TestHeadersAndCookies(t *testing.T) {
	t.Parallel()
	c := start(t)
	res, err := http.Get(c.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	csp := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("policy %q lacks %q", csp, want)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") {
		t.Errorf("policy %q allows too much", csp)
	}
	cookie := res.Header.Get("Set-Cookie")
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") {
		t.Errorf("cookie %q", cookie)
	}
	secure := start(t, func(c *web.Config) { c.Secure = true })
	res, err = http.Get(secure.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if cookie := res.Header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-maru=") || !strings.Contains(cookie, "Secure") {
		t.Errorf("cookie over TLS %q", cookie)
	}
}

// TestAssetsAreKept: what a page loads is kept by a browser until the program is
// another, carries no session, and is named before one module asks for the next.
func TestAssetsAreKept(t *testing.T) {
	t.Parallel()
	c := start(t)
	page := c.person(t).get("/").body
	named := make(map[string]string)
	for _, m := range regexp.MustCompile(`"(/assets/[0-9a-f]{16}/([a-z.]+))"`).FindAllStringSubmatch(page, -1) {
		if named[m[2]] != "" {
			t.Errorf("%s is named twice", m[2])
		}
		named[m[2]] = m[1]
	}
	files, err := filepath.Glob("assets/*")
	if err != nil || len(files) != len(named) {
		t.Errorf("%d files, %d are named by the page: %v", len(files), len(named), err)
	}
	for name, at := range named {
		stranger := http.Client{}
		res, err := stranger.Get(c.URL + at)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		h := res.Header
		if err != nil || res.StatusCode != 200 || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("Set-Cookie") != "" || h.Get("Content-Type") == "" {
			t.Errorf("%s: %d %v %v", name, res.StatusCode, h, err)
		}
		for _, m := range regexp.MustCompile(`from "\./([a-z.]+)"`).FindAllStringSubmatch(string(body), -1) {
			if named[m[1]] == "" {
				t.Errorf("%s asks for %s, which the page does not name", name, m[1])
			}
		}
		old := c.person(t).get(strings.Replace(at, at[8:24], "0123456789abcdef", 1)) // a replica of another version made the page
		if old.status != 200 || old.body != string(body) || strings.Contains(old.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s of another version: %d %s", name, old.status, old.header.Get("Cache-Control"))
		}
	}
}

func TestFailuresAreToldInTheirLanguage(t *testing.T) {
	t.Parallel()
	e := newEcho()
	c := startWith(t, e)
	p := c.person(t)
	for name, tt := range map[string]struct {
		err    error
		lang   string
		status int
		want   string
	}{
		"busy_ko":  {&bot.Error{Code: bot.CodeModelBusy}, "ko-KR,ko;q=0.9,en;q=0.8", 503, "바빠서"},
		"busy_en":  {&bot.Error{Code: bot.CodeModelBusy}, "de,en;q=0.5,ko;q=0.3", 503, "too busy"},
		"internal": {errors.New("dial postgres://user:hunter2@db: refused"), "en", 500, "ref-"},
	} {
		e.refuse = tt.err
		r := p.request("POST", message, `{"text":"hi"}`)
		r.Header.Set("Accept-Language", tt.lang)
		got := p.do(r)
		if got.status != tt.status || !strings.Contains(got.body, tt.want) || strings.Contains(got.body, "hunter2") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := p.get("/api/threads/t1"); strings.Contains(got.body, `"hi"`) {
		t.Errorf("a message that was refused is shown: %s", got.body)
	}
}

func TestMessageIsSentOnce(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	for range 3 {
		if got := p.post(message, `{"id":"once","text":"hi","time_zone":"Asia/Seoul"}`); got.status != 202 || !strings.Contains(got.body, `"message":"once"`) {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	at, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	p.client.Jar.SetCookies(at, []*http.Cookie{{Name: "maru_zone", Value: "Europe/Berlin"}}) // the browser's clock, where the message names none
	p.post(message, `{"id":"other","text":"hi"}`)
	c.bot.running.Wait()
	c.bot.mu.Lock()
	defer c.bot.mu.Unlock()
	if n := len(c.bot.messages); n != 2 || c.bot.messages[1].User.TimeZone != "Europe/Berlin" {
		t.Fatalf("%d messages: %+v", n, c.bot.messages)
	}
	m := c.bot.messages[0]
	want := bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true}
	if m.Thread != want || m.User.TimeZone != "Asia/Seoul" || m.Reach != bot.ReachDirect || m.Order == "" {
		t.Errorf("message %+v", m)
	}
}

// A thread of a request is one of the console's own: names of other platforms' threads are refused, and an
// unknown one starts a conversation here.
func TestThreadsOfOtherPlacesAreRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	for _, id := range []string{"slack%2FT1%2FC1%2F1.2", "1700000000.000100", "..%2Ft1", "web:local:home:t1", "%20", strings.Repeat("a", 65)} {
		if got := p.post("/api/threads/"+id+"/messages", `{"text":"hi"}`); got.status != 404 && got.status != 400 {
			t.Errorf("%s: %d %s", id, got.status, got.body)
		}
	}
	if got := p.post("/api/threads/C1/messages", `{"text":"hi","thread":"slack/T1/C1/1.2","channel":"C1"}`); got.status == 202 {
		c.bot.running.Wait()
		c.bot.mu.Lock()
		defer c.bot.mu.Unlock()
		if m := c.bot.messages; len(m) != 1 || m[0].Thread.Key() != (bot.Thread{Platform: "web", Team: "local", Channel: "home", ID: "C1"}).Key() {
			t.Errorf("messages %+v", m)
		}
	}
	if n := len(c.bot.messages); n > 1 {
		t.Errorf("%d messages", n)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	p.post(message, `{"id":"a","text":"/help"}`)
	p.post(message, `{"id":"b","text":"/usr/bin is a path"}`)
	c.bot.running.Wait()
	got := p.get("/api/threads/t1").body
	if !strings.Contains(got, "shows this") || !strings.Contains(got, "You wrote: /usr/bin is a path") {
		t.Errorf("thread: %s", got)
	}
	for _, slip := range []string{"/maru nonsense", "/hepl", "/nonsense what is it?"} {
		if got := p.post(message, `{"text":"`+slip+`"}`); got.code() != string(bot.CodeBadCommand) {
			t.Errorf("%s: %d %s", slip, got.status, got.body)
		}
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.bot.onAction = func(a bot.Action) (bot.Answer, error) {
		switch a.Verb {
		case "opens":
			return bot.Answer{Form: &bot.Form{ID: "f1", Verb: "send", Title: "<b>"}}, nil
		case "stale":
			return bot.Answer{}, &bot.Error{Code: bot.CodeStale}
		}
		return bot.Answer{Card: &bot.Card{Text: "ok " + a.Values["x"] + a.Message}}, nil
	}
	p := c.person(t)
	for verb, want := range map[string]string{
		"go": `"text":"ok 1m1"`, "opens": `"id":"f1","verb":"send"`, "stale": "already been decided",
	} {
		got := p.post("/api/actions/a1?view=html", `{"verb":"`+verb+`","thread":"t1","message":"m1","values":{"x":"1"}}`)
		if !strings.Contains(got.body, want) || strings.Contains(got.body, "<b>") {
			t.Errorf("%s: %d %s", verb, got.status, got.body)
		}
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	got := p.post("/preferences", url.Values{"csrf": {p.token}, "lang": {"ko"}, "theme": {"dark"}, "next": {"/documents"}}.Encode())
	if got.header.Get("Location") != "/documents" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if got := p.get("/"); !strings.Contains(got.body, `<html lang="ko" data-theme="dark">`) {
		t.Error("the choice is not kept")
	}
}

func TestForgetting(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	p.post(message, `{"id":"m1","text":"secret"}`)
	c.bot.running.Wait()
	if got := p.do(p.request("DELETE", "/api/threads/t1/messages/m1", "")); got.status != 204 {
		t.Errorf("withdraw: %d %s", got.status, got.body)
	}
	if got := p.get("/api/threads/t1"); strings.Contains(got.body, `"text":"secret"`) || !strings.Contains(got.body, `"deleted":true`) {
		t.Errorf("withdrawn: %s", got.body)
	}
	if got := p.do(p.request("DELETE", "/api/threads/t1", "")); got.status != 204 {
		t.Errorf("forget: %d %s", got.status, got.body)
	}
	if got := p.get("/api/threads/t1"); !strings.Contains(got.body, `"lines":[]`) {
		t.Errorf("forgotten: %s", got.body)
	}
	if got := p.get("/api/threads"); !strings.Contains(got.body, `"threads":[]`) {
		t.Errorf("forgotten: %s", got.body)
	}
}

// TestAnEmptyPageSuggestsWhatIsSearched: questions about the sample handbook are suggested for as long as it is searched.
func TestAnEmptyPageSuggestsWhatIsSearched(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := c.person(t)
	for _, sample := range []bool{true, false} {
		c.bot.mu.Lock()
		c.bot.docs = []bot.DocumentInfo{{ID: "1", Title: "Leave", Sample: sample, Public: true}}
		c.bot.mu.Unlock()
		page := p.get("/").body
		if got := strings.Contains(page, "annual leave do I have"); got != sample || !strings.Contains(page, `data-example="/demo"`) {
			t.Errorf("sample %v: the question about leave is suggested: %v", sample, got)
		}
	}
}
