package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"maru/adapters/discord/discordfake"
	"maru/adapters/slack/slackfake"
	"maru/adapters/web/signin/oidcfake"
	"maru/memory/memtest/servers"
	"maru/phrase"
)

// tourist is a browser that knows the console by its public name.
type tourist struct {
	t      *testing.T
	p      *program
	client *http.Client
	csrf   string
}

const publicURL = "http://maru.test"

func (p *program) tourist() *tourist {
	jar, err := cookiejar.New(nil)
	must(p.t, "jar", err)
	v := &tourist{t: p.t, p: p}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if strings.HasPrefix(addr, "maru.test:") {
			addr = v.p.addr
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	v.client = &http.Client{
		Jar: jar, Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return v
}

var csrfMeta = regexp.MustCompile(`name="csrf" content="([0-9a-f]+)"`)

// open fetches an address and returns status, where it redirects to, and body.
func (v *tourist) open(address string) (status int, to, body string) {
	v.t.Helper()
	return v.do(http.MethodGet, address, "")
}

func (v *tourist) do(method, address, form string) (status int, to, body string) {
	v.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = publicURL + address
	}
	r, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(form))
	must(v.t, "request", err)
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := v.client.Do(r)
	must(v.t, "open", err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	must(v.t, "read", err)
	if m := csrfMeta.FindStringSubmatch(string(raw)); m != nil {
		v.csrf = m[1]
	}
	return res.StatusCode, res.Header.Get("Location"), string(raw)
}

// enter signs in the way that the login page offers and returns where the person stands then. agree carries them over the
// provider's page.
func (v *tourist) enter(way, login string, agree func(page string) (string, error)) (status int, to, body string) {
	v.t.Helper()
	status, _, page := v.open(login)
	link := regexp.MustCompile(`href="(/signin/` + way + `[^"]*)"`).FindStringSubmatch(page)
	if status != http.StatusOK || link == nil {
		v.t.Fatalf("%s answers %d and does not offer %s: %s", login, status, way, page)
	}
	status, to, page = v.open(strings.ReplaceAll(link[1], "&amp;", "&"))
	if status != http.StatusSeeOther {
		v.t.Fatalf("the sign-in begins with %d: %s", status, page)
	}
	back, err := agree(to)
	must(v.t, "agree at the provider", err)
	return v.open(back)
}

// provided follows the redirect of a provider's page.
func (v *tourist) provided(page string) (string, error) {
	_, back, _ := v.open(page)
	return back, nil
}

var runLink = regexp.MustCompile(`http://maru\.test/runs/r[a-z0-9]+`)

// TestSlackLinksOpenAsThatPerson follows the link of an answer in Slack: after a sign-in with Slack it opens as that person, also
// after kill -9, and not any more once the account is closed.
func TestSlackLinksOpenAsThatPerson(t *testing.T) {
	t.Parallel()
	w := newSlackWorld(t, brain(t), append([]string{"MARU_PUBLIC_URL=" + publicURL, "SLACK_SIGN_IN_CLIENT_ID=" + oidcfake.ClientID, "SLACK_SIGN_IN_CLIENT_SECRET=" + oidcfake.ClientSecret}, defaults...)...)
	w.start()
	root := w.slack.Say("U1", "C1", "<@UBOT> 연차는 며칠이야?", "")
	w.await("C1", root, 1, "")
	link := ""
	must(t, "link", w.slack.Wait(within(t, atMost), func() bool {
		for _, m := range w.slack.Messages("C1", root) {
			if found := runLink.FindString(string(m.Blocks)); found != "" {
				link = found
			}
		}
		return link != ""
	}))
	alice := w.tourist()
	status, to, _ := alice.open(link)
	if status != http.StatusSeeOther || !strings.HasPrefix(to, "/login?next=") {
		t.Fatalf("without a session the link answers %d to %q", status, to)
	}
	w.slack.Browse("U1")
	if status, at, body := alice.enter("slack", to, alice.provided); status != http.StatusSeeOther || publicURL+at != link {
		t.Fatalf("the sign-in ends with %d at %q: %s", status, at, body)
	}
	if status, _, body := alice.open(link); status != http.StatusOK || !strings.Contains(body, "연차는 며칠이야?") {
		t.Errorf("the run: %d", status)
	}
	for _, path := range []string{"/health", "/audit", "/settings", "/usage"} {
		if status, _, _ := alice.open(path); status != http.StatusForbidden {
			t.Errorf("%s is open to a member: %d", path, status)
		}
	}
	if status, _, body := alice.open("/people"); status != http.StatusOK || !strings.Contains(body, `data-person="slack/T1/U1"`) || strings.Count(body, "data-person=") != 1 || strings.Contains(body, `name="role"`) {
		t.Errorf("a member's list of people: %d", status)
	}
	if _, _, body := alice.open("/runs"); !strings.Contains(body, strings.TrimPrefix(link, publicURL)) || !strings.Contains(body, phrase.Say("en", "web.runs.sub.own")) {
		t.Error("their own run is not listed as theirs")
	}
	w.kill()
	w.start()
	if status, _, _ := alice.open(link); status != http.StatusOK {
		t.Errorf("after kill -9 the session is lost: %d", status)
	}
	w.kill()
	w.slack.AddUser(slackfake.User{ID: "U1", Name: "alice", Deleted: true})
	w.start()
	if status, _, body := alice.open(link); status != http.StatusForbidden || !strings.Contains(body, "/signin/slack") {
		t.Errorf("a closed account opens the run: %d", status)
	}
	if status, _, body := alice.enter("slack", to, alice.provided); status != http.StatusForbidden {
		t.Errorf("a closed account signs in: %d %s", status, body)
	}
	if bad := w.slack.SignIns(); len(bad) > 0 {
		t.Errorf("Slack refused %v", bad)
	}
}

// TestDiscordSignIn: members come in, Manage Server is an admin of the server and does not run the program, MARU_ADMINS does.
func TestDiscordSignIn(t *testing.T) {
	t.Parallel()
	w := newDiscordWorld(t, brain(t), "MARU_PUBLIC_URL="+publicURL, "DISCORD_CLIENT_ID=123", "DISCORD_CLIENT_SECRET="+discordfake.ClientSecret)
	w.env = append(w.env, "DISCORD_CLIENT_ID="+w.discord.ClientID(), "MARU_ADMINS=discord/"+w.discord.Guild+"/"+w.discord.Bob)
	w.begin()
	for ctx, at := within(t, atMost), ""; at != "/me"; { // the guild is noted a moment after the bot is ready
		must(t, "the guild is served", ctx.Err())
		_, at, _ = w.tourist().enter("discord", "/login?next=%2Fme", func(page string) (string, error) { return w.discord.Agree(w.discord.Alice, page) })
	}
	left := w.discord.AddUser("Left")
	w.discord.Leave(left)
	for name, c := range map[string]struct {
		user, role string // "" for nobody
		health     int
	}{
		"member": {w.discord.Alice, "Member", http.StatusForbidden}, "manager": {w.discord.Admin, "Admin", http.StatusForbidden},
		"one who runs the program": {w.discord.Bob, "Admin", http.StatusOK}, "who left": {left, "", 0},
	} {
		v := w.tourist()
		agree := func(page string) (string, error) { return w.discord.Agree(c.user, page) }
		status, at, body := v.enter("discord", "/login?next="+url.QueryEscape("/me"), agree)
		if c.role == "" {
			if status != http.StatusForbidden {
				t.Errorf("%s: %d", name, status)
			}
			continue
		}
		if status != http.StatusSeeOther || at != "/me" {
			t.Errorf("%s: %d %q: %s", name, status, at, body)
			continue
		}
		if _, _, body := v.open("/me"); !strings.Contains(body, "<small>"+c.role+"</small>") {
			t.Errorf("%s is no %s", name, c.role)
		}
		if status, _, _ := v.open("/health"); status != c.health {
			t.Errorf("%s: the health page answers %d", name, status)
		}
	}
}

// TestOIDCSignIn: roles by claims; the program serves while its provider is down; nothing secret is logged.
func TestOIDCSignIn(t *testing.T) {
	t.Parallel()
	provider := oidcfake.Start(t)
	provider.Fail(oidcfake.Faults{Down: true})
	p := newProgram(t, "MARU_PUBLIC_URL="+publicURL, "OIDC_ISSUER="+provider.URL, "OIDC_CLIENT_ID="+oidcfake.ClientID,
		"OIDC_CLIENT_SECRET="+oidcfake.ClientSecret, "OIDC_ROLES=admin:groups=maru, viewer:*")
	p.start()
	admin := p.tourist()
	if status, _, body := admin.open("/signin/oidc"); status != http.StatusBadGateway || !strings.Contains(body, "try again") {
		t.Errorf("while the provider is down: %d", status)
	}
	provider.Fail(oidcfake.Faults{})
	provider.Become(oidcfake.Account{Subject: "boss", Claims: map[string]any{"name": "Boss", "groups": []any{"maru"}}})
	for again, soon := within(t, atMost), 0; soon != http.StatusSeeOther; { // it is asked again
		must(t, "the provider is back", again.Err())
		soon, _, _ = admin.open("/signin/oidc")
	}
	if status, at, body := admin.enter("oidc", "/login?next=%2Fhealth", admin.provided); status != http.StatusSeeOther || at != "/health" {
		t.Fatalf("%d %q: %s", status, at, body)
	}
	if status, _, _ := admin.open("/health"); status != http.StatusOK {
		t.Errorf("an admin's health page: %d", status)
	}
	if _, _, body := admin.open("/audit?team=web/oidc"); !strings.Contains(body, "person.signed_in") {
		t.Error("the sign-in is not in the audit log")
	}
	provider.Become(oidcfake.Account{Subject: "guest"})
	guest := p.tourist()
	if status, _, body := guest.enter("oidc", "/login", guest.provided); status != http.StatusSeeOther {
		t.Fatalf("%d: %s", status, body)
	}
	guest.open("/me")
	if status, _, body := guest.do(http.MethodPost, "/t/t1", "text=hello&csrf="+guest.csrf); status != http.StatusForbidden || !strings.Contains(body, "viewer") {
		t.Errorf("a viewer asks: %d %s", status, body)
	}
	p.kill()
	p.start()
	if status, _, _ := admin.open("/health"); status != http.StatusOK {
		t.Errorf("after kill -9: %d", status)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, secret := range []string{oidcfake.ClientSecret, "code-", "access-", "secret detail", "Boss"} {
		if strings.Contains(p.log.String(), secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
}

// TestSignInOnTwoReplicas: a sign-in that begins on a replica which is killed ends on the other; its session holds on both, also
// after a restart, and ends on both with a sign-out on one.
func TestSignInOnTwoReplicas(t *testing.T) {
	t.Parallel()
	provider := oidcfake.Start(t)
	provider.Become(oidcfake.Account{Subject: "boss", Claims: map[string]any{"name": "Boss", "groups": []any{"maru"}}})
	one := newProgram(t, "DATABASE_URL="+servers.StartPostgres(t).URL, "MARU_PUBLIC_URL="+publicURL, "OIDC_ISSUER="+provider.URL,
		"OIDC_CLIENT_ID="+oidcfake.ClientID, "OIDC_CLIENT_SECRET="+oidcfake.ClientSecret, "OIDC_ROLES=admin:groups=maru")
	two := one.beside()
	one.start()
	two.start()
	v := one.tourist()
	status, at, body := v.enter("oidc", "/login?next=%2Fhealth", func(page string) (string, error) {
		back, err := v.provided(page)
		one.kill()
		v.p = two
		return back, err
	})
	if status != http.StatusSeeOther || at != "/health" {
		t.Fatalf("the other replica ends the sign-in with %d at %q: %s", status, at, body)
	}
	one.start()
	for name, p := range map[string]*program{"one": one, "two": two} {
		v.p = p
		if status, to, _ := v.open("/me"); status != http.StatusOK {
			t.Errorf("the session does not hold on %s: %d to %q", name, status, to)
		}
	}
	site, err := url.Parse(publicURL)
	must(t, "address", err)
	stolen := two.tourist() // has the cookies of the session, which the sign-out takes from the browser
	stolen.client.Jar.SetCookies(site, v.client.Jar.Cookies(site))
	if status, _, _ := stolen.open("/me"); status != http.StatusOK {
		t.Fatalf("a copy of the session: %d", status)
	}
	v.p = one
	v.open("/me")
	if status, _, body := v.do(http.MethodPost, "/logout", "csrf="+v.csrf); status != http.StatusSeeOther {
		t.Fatalf("sign out: %d %s", status, body)
	}
	for name, p := range map[string]*program{"one": one, "two": two} {
		stolen.p = p
		for ctx, status := within(t, atMost), 0; status != http.StatusSeeOther; { // the login
			must(t, "the session ends on "+name, ctx.Err())
			status, _, _ = stolen.open("/me")
		}
	}
}
