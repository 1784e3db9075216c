// Package oidcfake is a strict OpenID Connect provider on loopback, for tests: discovery, rotating keys,
// single-use authorization codes bound to their PKCE verifier, ID tokens and userinfo. On request it fails in the
// ways of a faulty provider or an attacker in between.
package oidcfake

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Credentials of the only client.
const (
	ClientID     = "maru-console"
	ClientSecret = "fake-oidc-secret"
)

// Patient is a client whose timeout no busy machine reaches.
var Patient = &http.Client{Timeout: 5 * time.Minute}

// Faults of a provider; the zero value has none.
type Faults struct {
	Down     bool           // it answers nothing
	Claims   map[string]any // replace those of the next ID tokens, such as "nonce", "aud", "iss" or "exp"
	OtherKey bool           // ID tokens are signed with a key that is not published
	Unsigned bool           // ID tokens have the algorithm "none"
	Other    bool           // userinfo is another account's
}

// Account is a person of the provider. InfoOnly are claims of userinfo that ID tokens lack.
type Account struct {
	Subject          string
	Claims, InfoOnly map[string]any
}

// Provider is the fake. It is safe for concurrent use.
type Provider struct {
	URL string // its issuer

	mux  *http.ServeMux
	conf Config

	mu      sync.Mutex
	key     key // made on first use: most tests with a Slack fake never sign in
	rotated bool
	faults  Faults
	who     Account
	codes   map[string]*code
	access  map[string]Account
	n       int
	refused []string
}

type key struct {
	id string
	*rsa.PrivateKey
}

type code struct {
	who                        Account
	nonce, challenge, redirect string
	used                       bool
}

// Config holds deviations from the usual provider.
type Config struct {
	Issuer                            string // its address
	Authorize, Token, Keys, Info, Way string // paths, and how the console calls it: "oidc", "slack"
	NoPKCE                            bool
}

// Start runs a provider until the test ends.
func Start(tb testing.TB) *Provider {
	tb.Helper()
	srv := httptest.NewUnstartedServer(nil)
	p := New(Config{Issuer: "http://" + srv.Listener.Addr().String(), Authorize: "/authorize", Token: "/token", Keys: "/keys", Info: "/userinfo", Way: "oidc"})
	srv.Config.Handler = p
	srv.Start()
	tb.Cleanup(srv.Close)
	return p
}

// New returns a provider that another server carries.
func New(c Config) *Provider {
	p := &Provider{
		URL: c.Issuer, conf: c, mux: http.NewServeMux(), codes: map[string]*code{}, access: map[string]Account{},
		who: Account{Subject: "alice", Claims: map[string]any{"name": "Alice"}},
	}
	p.mux.HandleFunc("GET /.well-known/openid-configuration", p.describe)
	p.mux.HandleFunc("GET "+c.Keys, p.publish)
	p.mux.HandleFunc("GET "+c.Authorize, p.authorize)
	p.mux.HandleFunc("POST "+c.Token, p.token)
	p.mux.HandleFunc("GET "+c.Info, p.userinfo)
	return p
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	down := p.faults.Down
	p.mu.Unlock()
	if down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	p.mux.ServeHTTP(w, r)
}

// Fail sets the faults.
func (p *Provider) Fail(f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
}

// Become signs an account in at the provider.
func (p *Provider) Become(a Account) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.who = a
}

// Rotate replaces the signing key and withdraws the former one.
func (p *Provider) Rotate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.rotated = key{}, true
}

// signing returns the present key; p.mu is held.
func (p *Provider) signing() key {
	if p.key.PrivateKey == nil {
		p.n++
		k := shared
		if p.rotated {
			k = generate
		}
		p.key = key{fmt.Sprint("key-", p.n), k()}
	}
	return p.key
}

// shared is the first key of every provider: a key takes 30 ms of CPU.
var shared = sync.OnceValue(generate)

// generate returns a key of 1024 bits, the minimum of crypto/rsa: one of 2048 takes ten times as long, 0.3 s of
// CPU.
func generate() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		panic(err)
	}
	return k
}

// Refused lists why requests were refused.
func (p *Provider) Refused() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.refused)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// refuse responds with an error of RFC 6749. The caller holds p.mu.
func (p *Provider) refuse(w http.ResponseWriter, code, why string) {
	p.refused = append(p.refused, why)
	answer(w, http.StatusBadRequest, map[string]string{"error": code, "error_description": "secret detail of " + why})
}

func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + p.conf.Authorize, "token_endpoint": p.URL + p.conf.Token, "jwks_uri": p.URL + p.conf.Keys,
		"userinfo_endpoint": p.URL + p.conf.Info, "id_token_signing_alg_values_supported": []string{"RS256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic"}, "code_challenge_methods_supported": []string{"S256"},
	})
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (p *Provider) publish(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.signing()
	answer(w, http.StatusOK, map[string]any{"keys": []map[string]string{
		{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": k.id, "n": b64(k.N.Bytes()), "e": b64(big.NewInt(int64(k.E)).Bytes())},
	}})
}

// authorize is the consent page; consent is given at once.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case q.Get("client_id") != ClientID || q.Get("response_type") != "code" || !strings.Contains(" "+q.Get("scope")+" ", " openid "):
		p.refuse(w, "invalid_request", "client, response type or scope")
		return
	case q.Get("state") == "" || q.Get("nonce") == "" || !p.conf.NoPKCE && (q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256"):
		p.refuse(w, "invalid_request", "state, nonce or PKCE")
		return
	case !strings.HasSuffix(q.Get("redirect_uri"), "/signin/"+p.conf.Way+"/callback"):
		p.refuse(w, "invalid_request", "redirect_uri")
		return
	}
	p.n++
	name := fmt.Sprint("code-", p.n)
	p.codes[name] = &code{who: p.who, nonce: q.Get("nonce"), challenge: q.Get("code_challenge"), redirect: q.Get("redirect_uri")}
	back := url.Values{"code": {name}, "state": {q.Get("state")}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.codes[r.PostFormValue("code")]
	proof := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case id != ClientID || secret != ClientSecret:
		p.refuse(w, "invalid_client", "client secret")
		return
	case c == nil || r.PostFormValue("grant_type") != "authorization_code":
		p.refuse(w, "invalid_grant", "unknown code")
		return
	case c.used:
		p.refuse(w, "invalid_grant", "code used before")
		return
	case c.redirect != r.PostFormValue("redirect_uri") || !p.conf.NoPKCE && c.challenge != b64(proof[:]):
		p.refuse(w, "invalid_grant", "redirect_uri or PKCE")
		return
	}
	c.used = true
	p.n++
	access := fmt.Sprint("access-", p.n)
	p.access[access] = c.who
	claims := map[string]any{
		"iss": p.URL, "sub": c.who.Subject, "aud": ClientID, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(), "nonce": c.nonce,
	}
	maps.Copy(claims, c.who.Claims)
	maps.Copy(claims, p.faults.Claims)
	answer(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 60, "id_token": p.sign(claims)})
}

// sign returns a signed JWT. The caller holds p.mu.
func (p *Provider) sign(claims map[string]any) string {
	k := p.signing()
	if p.faults.OtherKey {
		k.PrivateKey = generate()
	}
	alg := "RS256"
	if p.faults.Unsigned {
		alg = "none"
	}
	text := b64(mustJSON(map[string]string{"alg": alg, "kid": k.id, "typ": "JWT"})) + "." + b64(mustJSON(claims))
	if p.faults.Unsigned {
		return text + "."
	}
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, k.PrivateKey, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + b64(sig)
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	who, ok := p.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !ok {
		p.refused = append(p.refused, "userinfo without a token")
		http.Error(w, "token", http.StatusUnauthorized)
		return
	}
	claims := map[string]any{"sub": who.Subject}
	if p.faults.Other {
		claims["sub"] = "mallory"
	}
	maps.Copy(claims, who.Claims)
	maps.Copy(claims, who.InfoOnly)
	answer(w, http.StatusOK, claims)
}
