//go:build !race

package web_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"maru/adapters/web"
	"maru/adapters/web/signin"
	"maru/adapters/web/signin/oidcfake"
	"maru/phrase"
)

// newFront returns an entrance behind a proxy, whose address browsers and providers know.
func newFront(t *testing.T, change func(public string, c *web.Config)) (*console, *entrance) {
	t.Helper()
	var to atomic.Pointer[httputil.ReverseProxy]
	front := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { to.Load().ServeHTTP(w, r) }))
	e := newEntranceAt(t, front.URL, func(c *web.Config) {
		c.PublicHosts = nil
		change(front.URL, c)
	})
	behind := mustURL(t, e.URL)
	to.Store(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = behind.Scheme, behind.Host }})
	return front, e
}

// TestBrowserSlackSignIn signs in with Slack at a strict fake of its OpenID endpoints: a person of a workspace comes back to where
// they were, an account without a workspace is refused, and a person who left Slack is signed out.
func TestBrowserSlackSignIn(t *testing.T) {
	t.Parallel()
	var slack *oidcfake.Provider
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { slack.ServeHTTP(w, r) }))
	slack = oidcfake.New(oidcfake.Config{
		Issuer: at.URL, Authorize: "/openid/connect/authorize", Token: "/api/openid.connect.token", Keys: "/openid/connect/keys",
		Info: "/api/openid.connect.userInfo", Way: signin.WaySlack, NoPKCE: true,
	})
	front, e := newFront(t, func(public string, c *web.Config) {
		var err error
		if c.SignIn, err = signin.New(signin.Config{
			PublicURL: public, Key: []byte("key"), Client: oidcfake.Patient, Slack: &signin.Slack{Issuer: at.URL, ClientID: oidcfake.ClientID, ClientSecret: oidcfake.ClientSecret},
		}); err != nil {
			t.Fatal(err)
		}
	})
	b := browser(t)
	problems := complaints(t, b)
	slack.Become(oidcfake.Account{Subject: "U1", Claims: map[string]any{"name": "김민지"}})
	b.open(front.URL + "/runs/r1#source-2")
	b.until(`location.pathname === "/login"`)
	b.korean()
	b.until(`document.readyState === "complete" && location.hash === "#source-2"`)
	b.click("a[data-way]")
	b.see("[role=alert]")
	axe(b, "refused sign-in with Slack")
	slack.Become(oidcfake.Account{Subject: "U1", Claims: map[string]any{"name": "김민지", "https://slack.com/team_id": "T1", "https://slack.com/user_id": "U1"}})
	b.click("a[data-way]")
	b.until(`location.pathname === "/runs/r1" && location.hash === "#source-2"`)
	b.open(front.URL + "/me")
	b.until(`document.querySelector(".who").textContent.includes("김민지")`)
	e.people.set(func(p *people) { p.none = true })
	b.open(front.URL + "/runs/r1")
	b.see("a[data-way]")
	if bad := slack.Refused(); len(bad) > 0 {
		t.Errorf("Slack refused %q", bad)
	}
	if p := problems(); len(p) > 0 && !strings.Contains(strings.Join(p, " "), "40") {
		t.Errorf("the browser complained: %q", p)
	}
}

// TestBrowserSignIn: the page of sign-in in both languages, with and without a password; a source's anchor survives the way over
// the provider.
func TestBrowserSignIn(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", "open sesame"} {
		front, e := newFront(t, func(_ string, c *web.Config) { c.Login = web.Secret(password) })
		b := browser(t)
		problems := complaints(t, b)
		for _, lang := range phrase.Languages() {
			b.open(front.URL + "/runs/r1#source-2")
			b.until(`location.pathname === "/login"`)
			js[bool](b, `(window.before = true)`)
			b.click(`.prefs [name=lang][value=` + lang + `]`)
			b.until(`!window.before && document.readyState === "complete" && document.documentElement.lang === "` + lang + `" && location.hash === "#source-2" && Boolean(document.querySelector("a[data-way]"))`)
			if want := phrase.Say(lang, "web.signin.with.oidc", mustURL(t, e.provider.URL).Host); js[string](b, `document.querySelector("a[data-way]").textContent`) != want {
				t.Errorf("%s: the way is not called %q", lang, want)
			}
			if has := js[bool](b, `Boolean(document.querySelector("[type=password]"))`); has != (password != "") {
				t.Errorf("%s: a password is asked for: %v", lang, has)
			}
			axe(b, "sign-in "+lang)
			b.until(`document.querySelector("a[data-way]").href.includes("` + url.QueryEscape("/runs/r1#source-2") + `")`)
			e.become("mallory", "strangers")
			b.click("a[data-way]")
			b.see("[role=alert]")
			if got := js[string](b, `document.querySelector("[role=alert]").textContent`); got != phrase.Say(lang, "web.signin.no_role") {
				t.Errorf("%s: %q", lang, got)
			}
			axe(b, "refused sign-in "+lang)
		}
		e.become("vera", "guests")
		b.click("a[data-way]")
		b.until(`location.pathname === "/runs/r1"`)
		b.open(front.URL + "/")
		b.until(`document.body.innerText.includes("` + phrase.Say("en", "web.viewer_reads") + `") || document.body.innerText.includes("` + phrase.Say("ko", "web.viewer_reads") + `")`)
		axe(b, "a viewer's home")
		b.unseen("#text")
		b.click("[action='/logout'] button")
		b.until(`location.pathname === "/login"`)
		b.open(front.URL + "/runs/r1")
		e.become("alice", "staff")
		b.click("a[data-way]")
		b.until(`location.pathname === "/runs/r1"`)
		b.open(front.URL + "/me")
		b.see(".who")
		axe(b, "own page")
		b.click("[name=everywhere]")
		b.until(`location.pathname === "/login"`)
		if p := problems(); len(p) > 0 && !strings.Contains(strings.Join(p, " "), "403") {
			t.Errorf("the browser complained: %q", p)
		}
	}
}
