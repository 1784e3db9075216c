package web

import (
	"cmp"
	"context"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"maru/bot"
)

// maxBody bounds every request body except uploads.
const maxBody = 1 << 20

// visit holds the facts about an admitted request.
type visit struct {
	session session
	Lang    string  // of the page
	Theme   string  // "light", "dark" or "" for the system's
	zone    string  // of the browser's clock, "" if unknown
	Token   string  // CSRF token
	in      bool    // may see pages behind the login
	named   *Token  // the bearer token used; nil for the owner
	wait    bool    // too many wrong passwords from this address
	person  *Person // signed in with an account; nil for the owner
	gone    bool    // the account was closed, or left the workspace
	unsure  bool    // the account could not be checked
}

// T returns the page's word for key.
func (v *visit) T(key string) string { return word(v.Lang, key) }

// visitKey is the context key of the visit, which the middleware passes to the handlers; net/http has no other
// way.
type visitKey struct{}

func visitOf(r *http.Request) *visit {
	v, _ := r.Context().Value(visitKey{}).(*visit)
	return v
}

// user returns the author of the request: the console's owner, the person who signed in, or the token's holder.
func (v *visit) user() bot.User {
	u := v.account()
	u.TimeZone = cmp.Or(u.TimeZone, v.zone)
	return u
}

func (v *visit) account() bot.User {
	if v.person != nil {
		return v.person.User
	}
	if v.named != nil {
		u, _ := v.named.user(v.Lang)
		return u
	}
	return bot.User{ID: ownerID, Name: v.T("owner"), Locale: v.Lang, Admin: true, Operator: v.in}
}

// Who tells apart the people who use one browser; "" for nobody.
func (v *visit) Who() string {
	if v.person != nil {
		t := v.person.Place()
		return t.Platform + "/" + t.Team + "/" + v.person.User.ID
	}
	if v.in {
		return v.user().ID
	}
	return ""
}

// place returns the author's place. A token without operator rights has no place on the console: it sees the runs
// that it may decide.
func (v *visit) place(d *door) bot.Thread {
	if v.person != nil {
		return v.person.Place()
	}
	if v.named != nil && !v.named.Operator {
		_, t := v.named.user(v.Lang)
		return t
	}
	return d.thread("")
}

// at returns the visitor's thread with an ID: in the console's place, or among a person's own.
func (d *door) at(r *http.Request, id string) bot.Thread {
	if p := visitOf(r).person; p != nil {
		t := p.Home
		t.ID, t.Direct = id, true
		return t
	}
	return d.thread(id)
}

// guard admits or rejects a request. An unknown Host may be a page that points its own name
// at this machine (DNS rebinding); another Origin may be a page that abuses the person's
// browser (CSRF).
func (d *door) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		v := &visit{Lang: d.languageOf(r), Theme: themeOf(r), zone: zoneOf(r)}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		switch {
		case !d.hostAllowed(r.Host):
			d.refuse(w, r, refusal{http.StatusMisdirectedRequest, "wrong_host"})
			return
		case cross.Check(r) != nil, !d.originAllowed(r):
			d.refuse(w, r, refusal{http.StatusForbidden, "wrong_origin"})
			return
		}
		d.admit(w, r, v)
		v.Token = d.seal.token(v.session)
		if !(entrance{d}).bound(w, r, v) {
			d.fail(w, r, d.tooBig(r, "", bot.ErrTooLarge))
			return
		}
		if !v.in && !v.unsure && !isOpen(r) && sendsForm(r) { // its session is over, and with it its token
			d.askLogin(w, r)
			return
		}
		if !safe(r.Method) && !d.tokenAllowed(r, v) {
			d.refuse(w, r, refusal{http.StatusForbidden, tokenWord(r)})
			return
		}
		if v.unsure && !isOpen(r) {
			w.Header().Set("Retry-After", tryAgainIn)
			d.refuse(w, r, refusal{http.StatusServiceUnavailable, "person_unsure"})
			return
		}
		if !v.in && !isOpen(r) {
			d.askLogin(w, r)
			return
		}
		if v.named != nil && !v.named.reaches(r) {
			d.refuse(w, r, refusal{http.StatusForbidden, "token_not_for_this"})
			return
		}
		if v.person != nil && !v.person.reaches(r) {
			d.refuse(w, r, refusedTo(r, v.person))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// secure sets the headers of every answer. The pages load nothing from other origins, so
// nothing is allowed.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "+
		"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// "no-referrer" would make browsers send forms with "Origin: null".
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
}

// hostAllowed reports whether hostport is one of the console's names.
func (a *Adapter) hostAllowed(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return isLoopback(host) || slices.ContainsFunc(a.cfg.PublicHosts, func(p string) bool {
		return strings.EqualFold(p, host)
	})
}

// originAllowed rejects an Origin other than the requested host, whatever the other headers
// say.
func (a *Adapter) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || safe(r.Method) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// admit resolves or starts the request's session, and whether it may pass the login. A
// request with a bearer token is its holder's or nobody's.
func (d *door) admit(w http.ResponseWriter, r *http.Request, v *visit) {
	if c, err := r.Cookie(d.cookieName()); err == nil {
		if s, ok := d.seal.open(c.Value, d.cfg.Now()); ok && (isAsset(r) || !d.over(r.Context(), s)) && (entrance{d}).recognise(r, v, s) {
			return
		}
	}
	if pass, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && (d.locked() || len(d.cfg.Tokens) > 0) {
		if v.named = d.bearer(pass); v.named != nil {
			v.in = true
			return
		}
		if d.cfg.Login != "" {
			tried := d.tryLogin(r, pass)
			v.in, v.wait = tried == loginRight, tried == loginTooMany
		}
		return
	}
	v.in = !d.locked()
	if isAPI(r) && r.Header.Get("Cookie") == "" || isAsset(r) {
		return // programs need no cookie, and publicly cached answers must not carry one
	}
	v.session = d.begin(w, session{})
}

// tokenAllowed reports whether a changing request comes from one of our pages, or from a
// program that no page can imitate. Without a cookie there is no session to abuse: it
// suffices that the Origin, which guard has checked, is present, as for our page with an
// expired cookie, or a header that needs a CORS preflight, which is never granted.
func (a *Adapter) tokenAllowed(r *http.Request, v *visit) bool {
	if isAPI(r) && r.Header.Get("Cookie") == "" {
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		return r.Header.Get("Origin") != "" || kind == "application/json" || r.Method == http.MethodDelete ||
			r.Header.Get("Authorization") != "" || r.Header.Get("X-Maru-Client") != ""
	}
	token := r.Header.Get("X-CSRF-Token")
	if token == "" && !a.uploads(r) {
		token = r.PostFormValue("csrf")
	}
	return v.session.id != "" && a.seal.tokenIs(v.session, token)
}

// tokenWord tells a page to reload, and a program which header to send.
func tokenWord(r *http.Request) string {
	if isAPI(r) && r.Header.Get("Cookie") == "" {
		return "program_unnamed"
	}
	return "wrong_token"
}

func (a *Adapter) uploads(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == "/api/documents"
}

// bound bounds the body of a request; false says that it is too large. Uploads bound theirs themselves, but for the form that
// rehearses new documents, whose token is in the body.
func (d entrance) bound(w http.ResponseWriter, r *http.Request, v *visit) bool {
	if d.uploads(r) {
		return true
	}
	most := int64(maxBody)
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); v.in && v.user().Operator && kind == "multipart/form-data" && r.Method == http.MethodPost && r.URL.Path == "/rehearsals" {
		most += d.cfg.MaxUpload
		c := http.NewResponseController(w)
		_ = c.SetReadDeadline(time.Now().Add(uploadTime))  // not supported by a recorder in tests
		_ = c.SetWriteDeadline(time.Now().Add(uploadTime)) // likewise
		if r.ContentLength > most {
			_, _ = io.CopyN(io.Discard, r.Body, 2*most) // the client reads the answer only after sending
			w.Header().Set("Connection", "close")
			return false
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	return true
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// sendsForm reports whether a person sent a form, for which the browser leaves the page. Only then is the sign-in page an answer:
// scripts and programs need the error.
func sendsForm(r *http.Request) bool {
	return !safe(r.Method) && !isAPI(r) && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("X-CSRF-Token") == "" && r.Header.Get("Authorization") == ""
}

func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

func isAsset(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/assets/") }

// isOpen reports whether a path is served without login.
func isOpen(r *http.Request) bool {
	return r.URL.Path == "/login" || r.URL.Path == "/preferences" || strings.HasPrefix(r.URL.Path, "/signin/") || isAsset(r)
}
