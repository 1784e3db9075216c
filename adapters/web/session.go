package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"maru/adapters/web/signin"
)

// Session lifetimes by sign-in method. OIDC sessions are the shortest, since their role is known only from the
// sign-in; people of a platform are looked up there at each request.
const (
	sessionAge  = 30 * 24 * time.Hour
	platformAge = 7 * 24 * time.Hour
	accountAge  = 12 * time.Hour
)

// session is the content of a browser's signed cookie. Valid sessions are not stored: the
// signature survives restarts, and a new password or key ends all of them. [ended] lists
// those that were signed out.
type session struct {
	id     string
	person bool // signed in; without a configured login nobody needs to
	issued time.Time
	who    *signin.Identity // signed in with an account; nil for the owner
}

// age returns the session's lifetime.
func (v session) age() time.Duration {
	switch {
	case v.who == nil:
		return sessionAge
	case v.who.Role != "":
		return accountAge
	}
	return platformAge
}

// key identifies the person of the session across browsers.
func (v session) key() string {
	if v.who == nil {
		return ownerID
	}
	return v.who.Key()
}

// sealer signs sessions and CSRF tokens.
type sealer struct {
	key   []byte
	login string
}

func (s sealer) mac(parts ...string) string {
	h := hmac.New(sha256.New, s.key)
	for _, p := range append(parts, s.login) {
		_, _ = h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// seal returns the cookie value of a session.
func (s sealer) seal(v session) string {
	body := v.body()
	return body + "." + s.mac("session", body)
}

func (v session) body() string {
	kind, who := "a", ""
	switch {
	case v.who != nil:
		raw, _ := json.Marshal(v.who) // strings only
		kind, who = "w", "."+base64.RawURLEncoding.EncodeToString(raw)
	case v.person:
		kind = "p"
	}
	return kind + "." + v.id + "." + strconv.FormatInt(v.issued.UnixMilli(), 10) + who
}

// open checks a cookie value and returns its session.
func (s sealer) open(value string, now time.Time) (session, bool) {
	i := strings.LastIndexByte(value, '.')
	if i < 0 || !hmac.Equal([]byte(value[i+1:]), []byte(s.mac("session", value[:i]))) {
		return session{}, false
	}
	p := strings.Split(value[:i], ".")
	if len(p) < 3 || len(p) > 4 || (len(p) == 4) != (p[0] == "w") {
		return session{}, false
	}
	n, err := strconv.ParseInt(p[2], 10, 64)
	v := session{id: p[1], person: p[0] != "a", issued: moment(n)}
	if len(p) == 4 && err == nil {
		var raw []byte
		if raw, err = base64.RawURLEncoding.DecodeString(p[3]); err == nil {
			err = json.Unmarshal(raw, &v.who)
		}
	}
	if err != nil || now.Sub(v.issued) > v.age() {
		return session{}, false
	}
	return v, true
}

// moment reads a time in milliseconds, or in seconds as older cookies have it.
func moment(n int64) time.Time {
	if n < 1e11 {
		return time.Unix(n, 0)
	}
	return time.UnixMilli(n)
}

// token returns the session's CSRF token.
func (s sealer) token(v session) string { return s.mac("csrf", v.id) }

func (s sealer) tokenIs(v session, token string) bool {
	return hmac.Equal([]byte(token), []byte(s.token(v)))
}

// loginIs compares a password in constant time, whatever its length.
func (s sealer) loginIs(password string) bool {
	want, got := sha256.Sum256([]byte(s.login)), sha256.Sum256([]byte(password))
	return s.login != "" && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// cookieName has the __Host- prefix over TLS, so that sibling domains cannot set it.
func (a *Adapter) cookieName() string {
	if a.cfg.Secure {
		return "__Host-maru"
	}
	return "maru"
}

// begin starts a session and sets its cookie.
func (a *Adapter) begin(w http.ResponseWriter, v session) session {
	v.id, v.issued = a.newID(), a.cfg.Now()
	a.setCookie(w, a.cookieName(), a.seal.seal(v), v.age())
	return v
}

// setCookie sets an HttpOnly cookie; age 0 removes it. Lax rather than strict: a link from a
// chat to a run's trace must arrive signed in, and changes need a CSRF token anyway.
func (a *Adapter) setCookie(w http.ResponseWriter, name, value string, age time.Duration) {
	seconds := int(age.Seconds())
	if age == 0 {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: a.cfg.Secure, SameSite: http.SameSiteLaxMode,
	})
}
