package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// sessionAge is how long a browser stays signed in.
const sessionAge = 30 * 24 * time.Hour

// session is the content of a browser's signed cookie. Valid sessions are not stored: the
// signature survives restarts, and a new password or key ends all of them. [ended] lists
// those that were signed out.
type session struct {
	id     string
	person bool // signed in; without a configured login nobody needs to
	issued time.Time
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
	kind := "a"
	if v.person {
		kind = "p"
	}
	return kind + "." + v.id + "." + strconv.FormatInt(v.issued.Unix(), 10)
}

// open checks a cookie value and returns its session.
func (s sealer) open(value string, now time.Time) (session, bool) {
	p := strings.Split(value, ".")
	if len(p) != 4 || !hmac.Equal([]byte(p[3]), []byte(s.mac("session", strings.Join(p[:3], ".")))) {
		return session{}, false
	}
	sec, err := strconv.ParseInt(p[2], 10, 64)
	v := session{id: p[1], person: p[0] == "p", issued: time.Unix(sec, 0)}
	if err != nil || now.Sub(v.issued) > sessionAge {
		return session{}, false
	}
	return v, true
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
func (a *Adapter) begin(w http.ResponseWriter, person bool) session {
	v := session{id: a.newID(), person: person, issued: a.cfg.Now()}
	a.setCookie(w, a.cookieName(), a.seal.seal(v), sessionAge)
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
