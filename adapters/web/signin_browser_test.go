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
	"maru/phrase"
)

// TestBrowserSignIn: the page of sign-in in both languages, with and without a password; a source's anchor survives the way over
// the provider.
func TestBrowserSignIn(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", "open sesame"} {
		var to atomic.Pointer[httputil.ReverseProxy]
		front := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { to.Load().ServeHTTP(w, r) }))
		e := newEntranceAt(t, front.URL, func(c *web.Config) { c.Login, c.PublicHosts = web.Secret(password), nil })
		behind := mustURL(t, e.URL)
		to.Store(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = behind.Scheme, behind.Host }})
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
