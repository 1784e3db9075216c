package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Limits of wrong passwords within the window: per address, and in total.
const (
	triesEach   = 5
	triesAll    = 50
	triesWindow = time.Minute
)

// limiter counts wrong passwords by address.
type limiter struct {
	mu    sync.Mutex
	since time.Time
	all   int
	each  map[string]int
}

func newLimiter() *limiter { return &limiter{each: make(map[string]int)} }

// allow reports whether the address may try now, and counts the try as wrong until
// [limiter.right] takes it back, so that parallel tries count.
func (l *limiter) allow(addr string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.since) > triesWindow {
		l.since, l.all = now, 0
		clear(l.each)
	}
	if l.all >= triesAll || l.each[addr] >= triesEach {
		return false
	}
	l.all++
	l.each[addr]++
	return true
}

func (l *limiter) right(addr string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = max(l.all-1, 0)
	l.each[addr] = max(l.each[addr]-1, 0)
}

// tryAgainIn is the Retry-After of a limited address, in seconds.
const tryAgainIn = "60"

type loginResult int

const (
	loginWrong loginResult = iota
	loginRight
	loginTooMany
)

// tryLogin checks a password, rate-limited by address.
func (a *Adapter) tryLogin(r *http.Request, password string) loginResult {
	addr, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		addr = r.RemoteAddr
	}
	if !a.tries.allow(addr, a.cfg.Now()) {
		return loginTooMany
	}
	if !a.seal.loginIs(password) {
		return loginWrong
	}
	a.tries.right(addr)
	return loginRight
}

// askLogin redirects a browser to the login page and sends a program the error.
func (a *Adapter) askLogin(w http.ResponseWriter, r *http.Request) {
	if visitOf(r).wait {
		w.Header().Set("Retry-After", tryAgainIn)
		a.explain(w, r, http.StatusTooManyRequests, "login_too_many", visitOf(r).T("login.too_many"))
		return
	}
	if isAPI(r) || !safe(r.Method) {
		a.refuse(w, r, refusal{http.StatusUnauthorized, "login_needed"})
		return
	}
	http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
}

// loginPage is the data of the login template.
type loginPage struct {
	view
	Next    string
	Problem string // catalogue key, "" for none
}

func (a *Adapter) loginForm(w http.ResponseWriter, r *http.Request) {
	if visitOf(r).in {
		http.Redirect(w, r, localPath(r.FormValue("next")), http.StatusSeeOther)
		return
	}
	a.render(w, r, http.StatusOK, "login", loginPage{
		view: a.bareView(r, "login.title"), Next: localPath(r.FormValue("next")),
	})
}

func (a *Adapter) login(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.PostFormValue("next"))
	status, problem := http.StatusUnauthorized, "login.wrong"
	switch a.tryLogin(r, r.PostFormValue("password")) {
	case loginRight:
		a.begin(w, true) // a new session, against session fixation
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	case loginTooMany:
		status, problem = http.StatusTooManyRequests, "login.too_many"
		w.Header().Set("Retry-After", tryAgainIn)
	case loginWrong:
		a.cfg.Log.WarnContext(r.Context(), "console login refused", "remote", r.RemoteAddr)
	}
	a.render(w, r, status, "login", loginPage{view: a.bareView(r, "login.title"), Next: next, Problem: problem})
}

// logout ends the session of this browser only.
func (d *door) logout(w http.ResponseWriter, r *http.Request) {
	d.setCookie(w, d.cookieName(), "", 0)
	if err := d.end(r.Context(), visitOf(r).session); err != nil {
		d.cfg.Log.WarnContext(r.Context(), "a session ended that is not noted as over", "err", err)
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
