package web_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/adapters/discord/discordfake"
	"maru/adapters/web"
	"maru/adapters/web/signin"
	"maru/adapters/web/signin/oidcfake"
	"maru/bot"
)

// people knows everybody, unless a test says otherwise.
type people struct {
	mu   sync.Mutex
	none bool // everybody is gone
	down bool

	demoted bool // nobody operates the program
}

func (p *people) Person(_ context.Context, id signin.Identity) (web.Person, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.down:
		return web.Person{}, errors.New("no answer")
	case p.none:
		return web.Person{}, bot.ErrNotFound
	}
	return web.Person{
		Identity: id, Role: cmp.Or(id.Role, signin.Member), User: bot.User{ID: id.User, Name: id.Name, Admin: id.Role == signin.Admin, Operator: id.Role == signin.Admin && !p.demoted},
		Home: bot.Thread{Platform: "web", Team: id.Team, Channel: id.User},
	}, nil
}

func (p *people) set(f func(*people)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
}

// entrance is a console with an OIDC provider.
type entrance struct {
	*console

	provider *oidcfake.Provider
	people   *people
	clock    *clock
}

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newEntrance(t *testing.T, change ...func(*web.Config)) *entrance {
	t.Helper()
	return newEntranceAt(t, "http://maru.test", change...)
}

// newEntranceAt returns an entrance that browsers know by an address.
func newEntranceAt(t *testing.T, public string, change ...func(*web.Config)) *entrance {
	t.Helper()
	e := &entrance{provider: oidcfake.Start(t), people: &people{}, clock: &clock{at: time.Now()}}
	roles, err := signin.ParseRules([]string{"admin:groups=admins", "member:groups=staff", "viewer:groups=guests"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := signin.New(signin.Config{
		PublicURL: public, Key: []byte("key"), Client: oidcfake.Patient,
		OIDC: &signin.OIDC{Issuer: e.provider.URL, ClientID: oidcfake.ClientID, ClientSecret: oidcfake.ClientSecret, Roles: roles},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.console = start(t, append([]func(*web.Config){func(c *web.Config) {
		c.SignIn, c.People, c.Key, c.PublicHosts, c.Now = s, e.people, "key", []string{"maru.test"}, e.clock.now
	}}, change...)...)
	return e
}

func (e *entrance) become(sub, group string) {
	e.provider.Become(oidcfake.Account{Subject: sub, Claims: map[string]any{"name": "Name of " + sub, "groups": []any{group}}})
}

// signIn goes through the provider and returns the answer of the callback.
func (p *person) signIn(next string) answer {
	p.t.Helper()
	a := p.get("/signin/oidc?next=" + url.QueryEscape(next))
	if a.status != http.StatusSeeOther {
		p.t.Fatalf("sign-in begins with %d: %s", a.status, a.body)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, a.header.Get("Location"), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	back := mustURL(p.t, res.Header.Get("Location"))
	out := p.get(back.RequestURI())
	if out.status == http.StatusSeeOther {
		p.reloadFrom("/me")
	}
	return out
}

func (p *person) reloadFrom(path string) {
	p.t.Helper()
	if m := tokenForm.FindStringSubmatch(p.get(path).body); m != nil {
		p.token = m[1]
	}
}

func TestSignInLeadsWhereThePersonWanted(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.become("alice", "staff")
	p := e.person(t)
	a := p.get("/runs/r1?tab=2")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/login?next="+url.QueryEscape("/runs/r1?tab=2") {
		t.Fatalf("%d to %q", a.status, a.header.Get("Location"))
	}
	page := p.get(a.header.Get("Location")).body
	if !strings.Contains(page, `href="/signin/oidc?next=`+strings.ReplaceAll(url.QueryEscape("/runs/r1?tab=2"), "+", "&#43;")) || strings.Contains(page, `type="password"`) {
		t.Errorf("the page of sign-in:\n%s", page)
	}
	if a := p.signIn("/runs/r1?tab=2#source-3"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/runs/r1?tab=2#source-3" {
		t.Errorf("%d to %q", a.status, a.header.Get("Location"))
	}
	if page := p.get("/me").body; !strings.Contains(page, "Name of alice") || !strings.Contains(page, "Member") {
		t.Error("the page does not say who is signed in")
	}
	for _, evil := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "javascript:alert(1)"} {
		if a := e.person(t).signIn(evil); a.header.Get("Location") != "/" {
			t.Errorf("%q leads to %q", evil, a.header.Get("Location"))
		}
	}
}

// TestASignInThatEndedBefore opens the callback of a finished sign-in. The page tells signed-in people their account and asks others to
// sign in.
func TestASignInThatEndedBefore(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.become("alice", "staff")
	p := e.person(t)
	const old = "/signin/oidc/callback?code=c&state=s"
	if a := p.get(old); a.status != http.StatusForbidden || !strings.Contains(a.body, "Please sign in again") {
		t.Errorf("a stranger: %d %s", a.status, a.body)
	}
	p.signIn("/")
	if a := p.get(old); a.status != http.StatusOK || !strings.Contains(a.body, "You are still signed in as Name of alice.") || !strings.Contains(a.body, `href="/"`) {
		t.Errorf("who is in: %d %s", a.status, a.body)
	}
	if a := p.get("/me"); a.status != http.StatusOK {
		t.Errorf("the session is over: %d", a.status)
	}
}

func TestEverybodyHasConversationsOfTheirOwn(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	say := func(sub, group, text string) *person {
		e.become(sub, group)
		p := e.person(t)
		p.signIn("/")
		if a := p.post(message, `{"text":"`+text+`"}`); a.status != http.StatusAccepted {
			t.Fatalf("%s: %d %s", sub, a.status, a.body)
		}
		return p
	}
	alice, bob := say("alice", "staff", "secret of alice"), say("bob", "admins", "secret of bob")
	for p, other := range map[*person]string{alice: "bob", bob: "alice"} {
		for _, path := range []string{"/t/t1", "/api/threads/t1", "/api/threads", "/"} {
			if a := p.get(path); a.status != http.StatusOK || strings.Contains(a.body, "secret of "+other) {
				t.Errorf("%s of another shows %s's words: %d", path, other, a.status)
			}
		}
	}
	if a := alice.get("/t/t1"); !strings.Contains(a.body, "secret of alice") {
		t.Error("alice's own words are gone")
	}
}

func TestRolesOfThoseWhoSignIn(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	const yes, no = 0, http.StatusForbidden
	for role, c := range map[string]map[string]int{
		"guests": {"GET /": yes, "GET /documents": yes, "GET /health": no, "GET /settings": no, "GET /workflows": no, "GET /runs/r1": yes,
			"POST " + message: no, "POST /approvals": no, "POST /api/actions/a1": no, "DELETE /api/threads/t1": no, "POST /api/runs/r1/approve": no, "POST /preferences": yes},
		"staff": {"GET /": yes, "GET /health": no, "GET /search": no, "GET /audit": no, "GET /usage": no, "GET /settings": no, "GET /workflows/chat": no, "GET /anything-new": no,
			"POST " + message: yes, "POST /documents": no, "POST /settings": no, "DELETE /api/refused/x": no, "POST /workflows/check": no},
		"admins": {"GET /": yes, "GET /anything-new": yes, "POST " + message: yes, "POST /settings": yes},
	} {
		e.become(role, role)
		p := e.person(t)
		p.signIn("/")
		for what, want := range c {
			method, path, _ := strings.Cut(what, " ")
			body := ""
			if method == http.MethodPost {
				body = `{"text":"hi"}`
			}
			if a := p.do(p.request(method, path, body)); (a.status == http.StatusForbidden) != (want == no) {
				t.Errorf("%s: %s: %d %s", role, what, a.status, a.code())
			}
		}
	}
}

// TestAViewerIsOfferedNothingToSend: the pages that a viewer reads have no box to write in, no files to add and no button that they
// would be refused, and say why.
func TestAViewerIsOfferedNothingToSend(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.bot.cards = []bot.Card{{Title: "Settings", Buttons: []bot.Button{{ID: "a", Verb: "v", Label: "Change"}}}}
	for group, writes := range map[string]bool{"guests": false, "staff": true} {
		e.become(group, group)
		p := e.person(t)
		p.signIn("/")
		home, documents, mine := p.get("/").body, p.get("/documents").body, p.get("/me").body
		for what, offered := range map[string]bool{
			"a box to write in": !regexp.MustCompile(`id="composer"[^>]* hidden>`).MatchString(home),
			"examples":          strings.Contains(home, "data-example"), "a new conversation": strings.Contains(home, `class="new"`),
			"a file with a message": strings.Contains(home, `id="file"`), "documents to add": strings.Contains(documents, `id="file"`),
			"settings to change": strings.Contains(mine, "data-action"),
		} {
			if offered != writes {
				t.Errorf("%s: is offered %s: %v", group, what, offered)
			}
		}
		if told := strings.Contains(home, "Your role is viewer"); told == writes {
			t.Errorf("%s: is told of the role of a viewer: %v", group, told)
		}
	}
}

func TestNobodyComesInWithoutARole(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	for lang, want := range map[string]string{"en": "has no role in this console", "ko": "콘솔을 쓸 권한이 없어요"} {
		e.become("mallory", "strangers")
		p := e.person(t)
		p.post("/preferences", "lang="+lang+"&next=/")
		if a := p.signIn("/"); a.status != http.StatusForbidden || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", lang, a.status, a.body)
		}
		if a := p.get("/"); a.status != http.StatusSeeOther {
			t.Errorf("they are in: %d", a.status)
		}
	}
}

// other is another browser of the same account.
func (e *entrance) other(t *testing.T) *person {
	t.Helper()
	p := e.person(t)
	p.signIn("/")
	return p
}

func TestAPersonWhoCannotBeLookedUpIsNotLetIn(t *testing.T) {
	t.Parallel()
	e := newEntrance(t)
	e.become("alice", "staff")
	p := e.person(t)
	p.signIn("/")
	e.people.set(func(p *people) { p.down = true })
	if a := p.get("/documents"); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
		t.Errorf("%d", a.status)
	}
	e.people.set(func(p *people) { p.down = false })
	if a := p.get("/documents"); a.status != http.StatusOK {
		t.Errorf("afterwards %d: the session is lost", a.status)
	}
}

func TestPasswordBesideAccounts(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, func(c *web.Config) { c.Login = "open sesame" })
	p := e.person(t)
	if page := p.get("/login").body; !strings.Contains(page, `type="password"`) || !strings.Contains(page, `href="/signin/oidc`) {
		t.Error("the page does not offer both")
	}
	if a := p.post("/login", "password=open+sesame&next=/"); a.status != http.StatusSeeOther {
		t.Fatalf("%d", a.status)
	}
	if a := p.get("/me"); a.status != http.StatusOK || strings.Contains(a.body, "Member") {
		t.Errorf("the owner is not let in as themselves: %d", a.status)
	}
}

// TestOneOfSeveralServers: a person in several servers with the bot chooses one of them; the choice holds for this browser alone.
func TestOneOfSeveralServers(t *testing.T) {
	t.Parallel()
	f := discordfake.Start(t, discordfake.Config{})
	s, err := signin.New(signin.Config{PublicURL: "http://maru.test", Key: []byte("key"), Client: oidcfake.Patient, Discord: &signin.Discord{
		API: f.URL(), ClientID: f.ClientID(), ClientSecret: discordfake.ClientSecret,
		Guilds: func(context.Context) (map[string]string, error) {
			return map[string]string{f.Guild: "", "999": "", "5": ""}, nil
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, func(c *web.Config) { c.SignIn, c.People, c.Key = s, &people{}, "key" })
	offered := func() (*person, answer) {
		p := c.person(t)
		back, err := f.Agree(f.Alice, p.get("/signin/discord?next=%2Fdocuments").header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		a := p.get(mustURL(t, back).RequestURI())
		if m := tokenForm.FindStringSubmatch(a.body); m != nil {
			p.token = m[1]
		}
		return p, a
	}
	p, a := offered()
	if a.status != http.StatusOK || !strings.Contains(a.body, "Another server") || !strings.Contains(a.body, "마루 팀") {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := p.get("/documents"); a.status != http.StatusSeeOther {
		t.Errorf("in before the choice: %d", a.status)
	}
	if a := c.person(t).post("/signin/choose", "choice=0"); a.status != http.StatusForbidden {
		t.Errorf("another browser chooses: %d", a.status)
	}
	for _, bad := range []string{"7", "-1", "x", ""} {
		if a := p.post("/signin/choose", "choice="+bad); a.status != http.StatusForbidden {
			t.Errorf("choice %q: %d", bad, a.status)
		}
	}
	if a := p.post("/signin/choose", "choice=1"); a.status != http.StatusSeeOther || a.header.Get("Location") != "/documents" {
		t.Errorf("%d to %q", a.status, a.header.Get("Location"))
	}
	if a := p.get("/documents"); a.status != http.StatusOK || !strings.Contains(a.body, "Alice") {
		t.Errorf("after the choice: %d", a.status)
	}
}
