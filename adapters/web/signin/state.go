package signin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Limits of a sign-in.
const (
	flowTime   = 10 * time.Minute // between its two halves
	choiceTime = 5 * time.Minute
	maxNext    = 1000 // bytes of a path
	maxCode    = 4096
	maxCookie  = 4000 // bytes: browsers drop larger ones
	maxChoices = 10
	maxOffered = 20 // characters of a name in a cookie that would be too large
	maxFlows   = 5  // sign-ins in progress in one browser, each in a tab of its own
)

// errTooLarge reports a value that does not fit into a cookie.
var errTooLarge = errors.New("sign-in: value too large for a cookie")

// Names of the cookies.
const (
	flowCookie   = "maru-signin"
	choiceCookie = "maru-choice"
)

// flow is a sign-in in progress.
type flow struct {
	Way      string    `json:"w"`
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"` // of PKCE
	Next     string    `json:"x"`
	Until    time.Time `json:"u"`
}

// addFlow stores a flow beside those in progress in other tabs of the browser. If there is not enough space, it drops
// the oldest, then the path of this one.
func (s *SignIn) addFlow(w http.ResponseWriter, r *http.Request, f flow) error {
	list := append(s.flows(r), f)
	list = list[max(len(list)-maxFlows, 0):]
	err := s.keep(w, flowCookie, list, flowTime)
	for errors.Is(err, errTooLarge) && len(list) > 1 {
		list = list[1:]
		err = s.keep(w, flowCookie, list, flowTime)
	}
	if errors.Is(err, errTooLarge) {
		list[0].Next = "/"
		err = s.keep(w, flowCookie, list, flowTime)
	}
	return err
}

// flows returns the sign-ins in progress in this browser.
func (s *SignIn) flows(r *http.Request) []flow {
	var list []flow
	if !s.kept(r, flowCookie, &list) {
		return nil
	}
	return slices.DeleteFunc(list, func(f flow) bool { return s.cfg.Now().After(f.Until) })
}

// takeFlow takes the flow of a state out of the browser's cookie; false if there is none.
func (s *SignIn) takeFlow(w http.ResponseWriter, r *http.Request, way, state string) (flow, bool) {
	list := s.flows(r)
	i := slices.IndexFunc(list, func(f flow) bool { return f.Way == way && same(f.State, state) })
	if i < 0 {
		return flow{}, false
	}
	f := list[i]
	if list = slices.Delete(list, i, i+1); len(list) == 0 || s.keep(w, flowCookie, list, flowTime) != nil {
		s.drop(w, flowCookie)
	}
	return f, true
}

// choice holds the identities from which a person chooses.
type choice struct {
	List  []Identity `json:"l"`
	Next  string     `json:"x"`
	Until time.Time  `json:"u"`
}

// box seals values in cookies.
type box struct {
	aead cipher.AEAD
	rand io.Reader
}

func newBox(key []byte, random io.Reader) (box, error) {
	if len(key) == 0 {
		return box{}, errors.New("sign-in: there is no key to seal with")
	}
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte("maru sign-in")) // never fails
	block, err := aes.NewCipher(h.Sum(nil))
	if err != nil {
		return box{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if random == nil {
		random = rand.Reader
	}
	return box{aead, random}, err
}

// random returns an unguessable text of 32 bytes.
func (b box) random() string {
	var raw [32]byte
	if _, err := io.ReadFull(b.rand, raw[:]); err != nil {
		_, _ = rand.Read(raw[:]) // never fails: crypto/rand aborts the program instead
	}
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// keep stores a sealed value in a cookie.
func (s *SignIn) keep(w http.ResponseWriter, name string, v any, age time.Duration) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode sign-in: %w", err)
	}
	value := base64.RawURLEncoding.EncodeToString(s.box.aead.Seal(nil, nil, raw, []byte(name)))
	if len(value) > maxCookie {
		return errTooLarge
	}
	s.set(w, name, value, int(age.Seconds()))
	return nil
}

// kept reads the value of [SignIn.keep]; false if it is missing or not sealed by us.
func (s *SignIn) kept(r *http.Request, name string, v any) bool {
	c, err := r.Cookie(s.cookie(name))
	if err != nil {
		return false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return false
	}
	raw, err := s.box.aead.Open(nil, nil, sealed, []byte(name))
	return err == nil && json.Unmarshal(raw, v) == nil
}

func (s *SignIn) drop(w http.ResponseWriter, name string) { s.set(w, name, "", -1) }

// set sets a cookie. Lax: the provider's page leads back to us.
func (s *SignIn) set(w http.ResponseWriter, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie(name), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode,
	})
}

func (s *SignIn) secure() bool { return strings.HasPrefix(s.cfg.PublicURL, "https://") }

// cookie has the __Host- prefix over TLS, so that sibling domains cannot set it.
func (s *SignIn) cookie(name string) string {
	if s.secure() {
		return "__Host-" + name
	}
	return name
}

// Offer stores the identities for the person's choice in a cookie and returns those that fit. If there is not
// enough space, it shortens names, then drops next, then the last identities.
func (s *SignIn) Offer(w http.ResponseWriter, list []Identity, next string) ([]Identity, error) {
	c := choice{slices.Clone(list[:min(len(list), maxChoices)]), next, s.cfg.Now().Add(choiceTime)}
	err := s.keep(w, choiceCookie, c, choiceTime)
	for step := 0; errors.Is(err, errTooLarge) && len(c.List) > 1; step++ {
		switch step {
		case 0:
			for i := range c.List {
				c.List[i].Name, c.List[i].Place = shortTo(c.List[i].Name, maxOffered), shortTo(c.List[i].Place, maxOffered)
			}
		case 1:
			c.Next = "/"
		default:
			c.List = c.List[:len(c.List)-1]
		}
		err = s.keep(w, choiceCookie, c, choiceTime)
	}
	return c.List, err
}

// Offered returns the identities for the choice; none after the time limit.
func (s *SignIn) Offered(r *http.Request) ([]Identity, string) {
	var c choice
	if !s.kept(r, choiceCookie, &c) || s.cfg.Now().After(c.Until) {
		return nil, "/"
	}
	return c.List, c.Next
}

// Chosen ends the choice.
func (s *SignIn) Chosen(w http.ResponseWriter) { s.drop(w, choiceCookie) }

// same compares in constant time; nothing is not the same as nothing.
func same(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
