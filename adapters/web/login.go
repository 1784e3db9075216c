package web

import (
	"crypto/hmac"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"maru/adapters/web/access"
	"maru/adapters/web/signin"
)

// tryerOf returns the browser if it has signed in before with the current password, otherwise the address.
func (a *Adapter) tryerOf(r *http.Request) access.Tryer {
	if c, err := r.Cookie(a.knownName()); err == nil {
		if id, mac, ok := strings.Cut(c.Value, "."); ok && hmac.Equal([]byte(mac), []byte(a.seal.mac("known", id))) {
			return access.Tryer{ID: id, Known: true}
		}
	}
	addr, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		addr = r.RemoteAddr
	}
	return access.Tryer{ID: addr}
}

func (a *Adapter) knownName() string { return a.cookieName() + "-known" }

// knownAge is the lifetime of the mark of a browser that signed in.
const knownAge = 365 * 24 * time.Hour

// know marks a browser as one that has signed in. The mark is not a session and gives no access.
func (a *Adapter) know(w http.ResponseWriter) {
	id := a.newID()
	a.setCookie(w, a.knownName(), id+"."+a.seal.mac("known", id), knownAge)
}

// tryAgainIn is the Retry-After of a limited address, in seconds.
const tryAgainIn = "60"

type loginResult int

const (
	loginWrong loginResult = iota
	loginRight
	loginTooMany
)

// tryLogin checks a password, rate-limited by address or known browser.
func (a *Adapter) tryLogin(r *http.Request, password string) loginResult {
	who := a.tryerOf(r)
	if !a.tries.Allow(who, a.cfg.Now()) {
		return loginTooMany
	}
	if !a.seal.loginIs(password) {
		return loginWrong
	}
	a.tries.Right(who)
	return loginRight
}

// askLogin redirects a browser to the login page and sends a program the error.
func (a *Adapter) askLogin(w http.ResponseWriter, r *http.Request) {
	if visitOf(r).wait {
		w.Header().Set("Retry-After", tryAgainIn)
		a.explain(w, r, http.StatusTooManyRequests, "login_too_many", visitOf(r).T("login.too_many"))
		return
	}
	if isAPI(r) || !safe(r.Method) && !sendsForm(r) {
		a.refuse(w, r, refusal{http.StatusUnauthorized, "login_needed"})
		return
	}
	if visitOf(r).gone { // say so at once: behind a redirect the reason would be lost
		a.loginPage(w, r, http.StatusForbidden, localPath(r.URL.RequestURI()), "signin.gone")
		return
	}
	next := r.URL.RequestURI()
	if !safe(r.Method) { // the page's script knows the address of its form
		next = "/"
	}
	http.Redirect(w, r, "/login?next="+url.QueryEscape(next), http.StatusSeeOther)
}

// loginPage is the data of the login template.
type loginPage struct {
	view
	Next     string
	Problem  string // catalogue key, "" for none
	Password bool   // the console has a password
	Ways     []wayLink
	Choices  []signin.Identity // identities from which a person chooses
}

func (a *Adapter) loginForm(w http.ResponseWriter, r *http.Request) {
	if visitOf(r).in {
		http.Redirect(w, r, localPath(r.FormValue("next")), http.StatusSeeOther)
		return
	}
	problem := ""
	if visitOf(r).gone {
		problem = "signin.gone"
	}
	a.loginPage(w, r, http.StatusOK, localPath(r.FormValue("next")), problem)
}

func (a *Adapter) login(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.PostFormValue("next"))
	status, problem := http.StatusUnauthorized, "login.wrong"
	switch a.tryLogin(r, r.PostFormValue("password")) {
	case loginRight:
		a.begin(w, session{person: true}) // a new session, against session fixation
		a.know(w)
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	case loginTooMany:
		status, problem = http.StatusTooManyRequests, "login.too_many"
		w.Header().Set("Retry-After", tryAgainIn)
	case loginWrong:
		a.cfg.Log.WarnContext(r.Context(), "console login refused", "remote", r.RemoteAddr)
	}
	a.loginPage(w, r, status, next, problem)
}

// logout ends the session of this browser only, or all sessions of its person.
func (d *door) logout(w http.ResponseWriter, r *http.Request) {
	d.setCookie(w, d.cookieName(), "", 0)
	if err := d.end(r.Context(), visitOf(r).session, r.PostFormValue("everywhere") != ""); err != nil {
		d.cfg.Log.WarnContext(r.Context(), "store ended session", "err", err)
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// localPath returns a path of this console, against open redirects.
func localPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(s, "/") ||
		strings.HasPrefix(s, "//") || strings.ContainsAny(s, "\\\r\n") {
		return "/"
	}
	if u.Fragment == "" {
		return u.RequestURI()
	}
	return u.RequestURI() + "#" + u.EscapedFragment()
}
