package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/adapters/web"
)

func TestPublicAddressNeedsALogin(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg  web.Config
		want string
	}{
		"loopback":           {web.Config{Addr: "127.0.0.1:8080"}, ""},
		"loopback_six":       {web.Config{Addr: "[::1]:8080"}, ""},
		"localhost":          {web.Config{Addr: "localhost:8080"}, ""},
		"all_interfaces":     {web.Config{Addr: ":8080"}, "no login"},
		"an_address":         {web.Config{Addr: "192.168.0.5:8080"}, "no login"},
		"unspecified":        {web.Config{Addr: "0.0.0.0:8080"}, "no login"},
		"with_a_login":       {web.Config{Addr: ":8080", Login: "correct horse"}, ""},
		"short_login":        {web.Config{Addr: ":8080", Login: "1234"}, "shorter than"},
		"public_name":        {web.Config{Addr: "127.0.0.1:8080", PublicHosts: []string{"maru.example.com"}}, "no login"},
		"a_name_with_a_port": {web.Config{Addr: "127.0.0.1:1", Login: "correct horse", PublicHosts: []string{"a:1"}}, "bare name"},
		"no_address":         {web.Config{Addr: "8080"}, "host:port"},
		"another_language":   {web.Config{Addr: "127.0.0.1:1", Language: "fr"}, "want one of en, ko"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := web.New(tt.cfg)
			if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "1234") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
	if s := fmt.Sprintf("%v %+v %#v", web.Secret("hunter22"), web.Config{Login: "hunter22"}, web.Config{Login: "hunter22"}); strings.Contains(s, "hunter22") {
		t.Errorf("the password prints: %s", s)
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	c := start(t, func(cfg *web.Config) {
		cfg.Login, cfg.Now = "correct horse", func() time.Time { return now }
		cfg.PublicHosts = []string{"maru.example.com"}
	})
	p := c.person(t)
	if got := p.get("/t/t1?x=1"); got.status != 303 || got.header.Get("Location") != "/login?next="+url.QueryEscape("/t/t1?x=1") {
		t.Errorf("a stranger's page: %d %s", got.status, got.header.Get("Location"))
	}
	if got := p.get("/api/threads"); got.status != 401 || got.code() != "login_needed" {
		t.Errorf("a stranger's API: %d %s", got.status, got.body)
	}
	if got := p.post(message, `{"text":"hi"}`); got.status != 401 {
		t.Errorf("a stranger's message: %d", got.status)
	}
	try := func(password, next string) answer {
		return p.post("/login", url.Values{"password": {password}, "next": {next}, "csrf": {p.token}}.Encode())
	}
	if got := try("wrong", "/"); got.status != 401 || !strings.Contains(got.body, "incorrect") {
		t.Errorf("wrong password: %d", got.status)
	}
	got := try("correct horse", "//evil.example/")
	if got.status != 303 || got.header.Get("Location") != "/" {
		t.Errorf("right password: %d %s", got.status, got.header.Get("Location"))
	}
	if got := p.get("/api/threads"); got.status != 200 {
		t.Errorf("signed in: %d %s", got.status, got.body)
	}
	r := p.request("GET", "/api/threads", "")
	if r.Host = "maru.example.com"; p.do(r).status != 200 {
		t.Error("the public name is refused")
	}
	p.reload()
	if got := p.post("/logout", "csrf="+p.token); got.status != 303 {
		t.Errorf("sign out: %d", got.status)
	}
	if got := p.get("/api/threads"); got.status != 401 {
		t.Errorf("signed out: %d", got.status)
	}
	program := func(password string) int {
		r, err := http.NewRequestWithContext(t.Context(), "GET", c.URL+"/api/threads", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+password)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	if program("correct horse") != 200 || program("wrong") != 401 {
		t.Error("a program's password is not what decides")
	}
	p.reload()
	for range 5 {
		try("wrong", "/")
	}
	if got := try("correct horse", "/"); got.status != 429 || got.header.Get("Retry-After") == "" {
		t.Errorf("after five wrong ones even the right one waits: %d", got.status)
	}
	for range 3 { // two were wrong before
		program("wrong")
	}
	if got := program("correct horse"); got != 429 {
		t.Errorf("a program after five wrong ones: %d", got)
	}
	now = now.Add(2 * time.Minute)
	if got := try("correct horse", "/documents"); got.header.Get("Location") != "/documents" {
		t.Errorf("later: %d", got.status)
	}
	now = now.Add(31 * 24 * time.Hour)
	if got := p.get("/api/threads"); got.status != 401 {
		t.Errorf("a session from last month: %d", got.status)
	}
}

// TestStrangersDoNotLockTheOwnerOut: from one address, as behind a proxy, a browser that has
// signed in before has tries of its own, and no more than they.
func TestStrangersDoNotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	c := start(t, func(cfg *web.Config) {
		cfg.Login, cfg.Now = "correct horse", func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }
	})
	try := func(p *person, password string) int {
		p.reload()
		return p.post("/login", url.Values{"password": {password}, "csrf": {p.token}}.Encode()).status
	}
	owner, stranger := c.person(t), c.person(t)
	if got := try(owner, "correct horse"); got != 303 {
		t.Fatalf("sign in: %d", got)
	}
	owner.reload()
	owner.post("/logout", "csrf="+owner.token)
	for range 60 { // more than the limit in total
		try(stranger, "wrong")
	}
	stranger.client.Jar.SetCookies(mustURL(t, c.URL), []*http.Cookie{{Name: "maru-known", Value: "me." + strings.Repeat("0", 64), Path: "/"}})
	if got := try(stranger, "correct horse"); got != 429 {
		t.Errorf("a stranger with a mark of their own: %d", got)
	}
	if got := try(owner, "correct horse"); got != 303 {
		t.Errorf("the owner: %d", got)
	}
	owner.reload()
	owner.post("/logout", "csrf="+owner.token)
	for range 5 {
		try(owner, "wrong")
	}
	if got := try(owner, "correct horse"); got != 429 {
		t.Errorf("a known browser after five wrong ones: %d", got)
	}
}

func TestSessionOutlivesARestartWithItsKey(t *testing.T) {
	t.Parallel()
	same := func(c *web.Config) { c.Key = "k1" }
	a, b, other := start(t, same), start(t, same), start(t, func(c *web.Config) { c.Key = "k2" })
	p := a.person(t)
	for c, want := range map[*console]int{b: 202, other: 403} {
		p.c = &console{Server: a.Server}
		cookies := p.client.Jar.Cookies(mustURL(t, a.URL))
		q := c.person(t)
		q.client.Jar.SetCookies(mustURL(t, c.URL), cookies)
		q.token = p.token
		if got := q.post(message, `{"text":"hi"}`); got.status != want {
			t.Errorf("%d, want %d", got.status, want)
		}
	}
}

// TestSigningOutEndsTheSession: a copy of the cookie is worth nothing after its person has
// signed out, on this replica, on another and over a restart; their other browser stays.
func TestSigningOutEndsTheSession(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64
	clock.Store(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).UnixNano())
	e := newEcho()
	cfg := func(c *web.Config) {
		c.Key, c.Login, c.Now = "k1", "correct horse", func() time.Time { return time.Unix(0, clock.Load()) }
		c.Heartbeat = time.Millisecond
	}
	one, two := startWith(t, e, cfg), startWith(t, e, cfg)
	signIn := func() *person {
		p := one.person(t)
		if got := p.post("/login", url.Values{"password": {"correct horse"}, "csrf": {p.token}}.Encode()); got.status != 303 {
			t.Fatalf("sign in: %d", got.status)
		}
		p.reload()
		return p
	}
	laptop, phone := signIn(), signIn()
	stolen := laptop.client.Jar.Cookies(mustURL(t, one.URL))
	use := func(c *console) int {
		r, err := http.NewRequestWithContext(t.Context(), "GET", c.URL+"/api/threads", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range stolen {
			r.AddCookie(k)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	if use(one) != 200 || use(two) != 200 {
		t.Fatal("the session does not hold on both")
	}
	open := laptop.events("t1", "", "")
	open.until(`"lines"`)
	if got := laptop.post("/logout", "csrf="+laptop.token); got.status != 303 {
		t.Fatalf("sign out: %d", got.status)
	}
	if _, err := io.Copy(io.Discard, open.lines); err != nil {
		t.Errorf("the stream of the session: %v, want its end", err)
	}
	if got := use(one); got != 401 {
		t.Errorf("where they signed out: %d", got)
	}
	clock.Add(int64(2 * time.Second))
	if got := use(two); got != 401 {
		t.Errorf("on the other replica: %d", got)
	}
	if got := use(startWith(t, e, cfg)); got != 401 {
		t.Errorf("after a restart: %d", got)
	}
	if got := phone.get("/api/threads"); got.status != 200 {
		t.Errorf("their other browser: %d", got.status)
	}
}
