// Package grantfake is an MCP server with OAuth on this machine, and its authorization server. It is strict: it refuses
// clients that it did not register, other redirect URIs, codes and refresh tokens that were used, a verifier that does not
// fit, and requests without the resource; a refresh token that comes twice ends the person's tokens.
package grantfake

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is the fake. Its fields may be changed between requests, under Set.
type Server struct {
	URL string // of the MCP endpoint

	mu      sync.Mutex
	opts    Options
	clients map[string][]string // redirect URIs by client
	hidden  map[string]string   // secrets by client
	codes   map[string]grant
	access  map[string]string // login by token
	refresh map[string]grant
	spent   map[string]string // login by refresh token
	calls   []string          // "login tool" in order
	faults  []string
	web     *httptest.Server
}

// Options are how it behaves.
type Options struct {
	Login       string // who is signed in at it in every browser
	Deny        bool   // they refuse
	Issuer      string // told in answers instead of its own
	Silent      bool   // no issuer in answers, though it promises one
	NoPKCE      bool   // its metadata names no PKCE
	Resource    string // told in the metadata of the resource instead of its own
	Down        bool   // it answers 503 to everything
	Description string // of its tool
	NoRenewal   bool   // it refuses to renew tokens
	Folder      bool   // its metadata names the root of its host as the resource
	Slash       bool   // the resource names its authorization server with a slash at the end
	Challenge   string // its WWW-Authenticate instead of the usual
	Closed      bool   // it registers no clients, and says so in its metadata
	Refusing    bool   // it offers to register clients and refuses
	Documents   bool   // it reads client ID metadata documents
	Sessions    bool   // its MCP endpoint keeps sessions, and answers 401 to all but POST
}

type grant struct{ client, redirect, challenge, resource, login string }

// New starts a fake.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{clients: map[string][]string{}, hidden: map[string]string{}, codes: map[string]grant{}, access: map[string]string{}, refresh: map[string]grant{}, spent: map[string]string{}}
	s.opts = Options{Login: "ann", Description: "Tells whose account this is."}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", s.resource)
	mux.HandleFunc("GET /.well-known/oauth-authorization-server/as", s.metadata)
	mux.HandleFunc("POST /as/register", s.register)
	mux.HandleFunc("GET /as/authorize", s.authorize)
	mux.HandleFunc("POST /as/token", s.token)
	mux.HandleFunc("POST /as/revoke", s.revoke)
	mux.Handle("/mcp", s.tools())
	s.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Now().Down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.web.Close)
	s.URL = s.web.URL + "/mcp"
	return s
}

// Set changes how it behaves.
func (s *Server) Set(change func(o *Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.opts)
}

// Now returns how it behaves.
func (s *Server) Now() Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts
}

// End revokes all tokens of a login.
func (s *Server) End(login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(login)
}

func (s *Server) end(login string) {
	for k, l := range s.access {
		if l == login {
			delete(s.access, k)
		}
	}
	for k, g := range s.refresh {
		if g.login == login {
			delete(s.refresh, k)
		}
	}
}

// Expire ends the access tokens of a login and leaves the refresh tokens.
func (s *Server) Expire(login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, l := range s.access {
		if l == login {
			delete(s.access, k)
		}
	}
}

// Live counts the access tokens of a login.
func (s *Server) Live(login string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.access {
		if l == login {
			n++
		}
	}
	return n
}

// Calls lists the calls of its tools, "login tool".
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Faults lists what clients did wrong.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

// Secrets lists all that no log may hold.
func (s *Server) Secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for k := range s.access {
		out = append(out, k)
	}
	for k := range s.refresh {
		out = append(out, k)
	}
	for k := range s.spent {
		out = append(out, k)
	}
	return out
}

func (s *Server) issuer() string { return s.web.URL + "/as" }

func tell(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Server) resource(w http.ResponseWriter, _ *http.Request) {
	name := s.Now().Resource
	if name == "" {
		name = s.named()
	}
	issuer := s.issuer()
	if s.Now().Slash {
		issuer += "/"
	}
	tell(w, http.StatusOK, map[string]any{"resource": name, "authorization_servers": []string{issuer}, "scopes_supported": []string{"notes"}})
}

// named returns the name of the resource.
func (s *Server) named() string {
	if s.Now().Folder {
		return s.web.URL
	}
	return s.URL
}

// Know makes a client known that somebody registered by hand. It has to show its secret.
func (s *Server) Know(id, secret, redirect string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients[id], s.hidden[id] = []string{redirect}, secret
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	m := map[string]any{
		"issuer": s.issuer(), "authorization_endpoint": s.issuer() + "/authorize", "token_endpoint": s.issuer() + "/token",
		"registration_endpoint": s.issuer() + "/register", "revocation_endpoint": s.issuer() + "/revoke", "response_types_supported": []string{"code"},
		"token_endpoint_auth_methods_supported": []string{"none"}, "authorization_response_iss_parameter_supported": true,
	}
	if !s.Now().NoPKCE {
		m["code_challenge_methods_supported"] = []string{"S256"}
	}
	o := s.Now()
	if o.Closed {
		delete(m, "registration_endpoint")
	}
	if o.Documents {
		m["client_id_metadata_document_supported"] = true
	}
	tell(w, http.StatusOK, m)
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Redirects []string `json:"redirect_uris"`
		Name      string   `json:"client_name"`
	}
	if s.Now().Refusing {
		tell(w, http.StatusForbidden, map[string]any{"error": "access_denied"})
		return
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil || len(in.Redirects) != 1 || in.Name == "" {
		s.fault(w, "register", "invalid_client_metadata")
		return
	}
	s.mu.Lock()
	id := fmt.Sprint("client-", len(s.clients)+1)
	s.clients[id] = in.Redirects
	s.mu.Unlock()
	tell(w, http.StatusCreated, map[string]any{"client_id": id, "redirect_uris": in.Redirects, "token_endpoint_auth_method": "none"})
}

func (s *Server) fault(w http.ResponseWriter, where, code string) {
	s.mu.Lock()
	s.faults = append(s.faults, where+": "+code)
	s.mu.Unlock()
	tell(w, http.StatusBadRequest, map[string]any{"error": code})
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if id := q.Get("client_id"); s.Now().Documents && strings.HasPrefix(id, "http") {
		redirects := s.read(id)
		s.mu.Lock()
		s.clients[id] = redirects
		s.mu.Unlock()
	}
	named := s.named()
	s.mu.Lock()
	known := slices.Contains(s.clients[q.Get("client_id")], q.Get("redirect_uri"))
	o := s.opts
	s.mu.Unlock()
	switch {
	case !known:
		s.fault(w, "authorize", "unknown client or redirect_uri")
		return
	case q.Get("response_type") != "code" || q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256" || q.Get("state") == "" || q.Get("resource") != named:
		s.fault(w, "authorize", "invalid_request")
		return
	}
	back := url.Values{"state": {q.Get("state")}}
	if !o.Silent {
		back.Set("iss", s.issuer())
	}
	if o.Issuer != "" {
		back.Set("iss", o.Issuer)
	}
	if o.Deny {
		back.Set("error", "access_denied")
	} else {
		code := rand.Text()
		s.mu.Lock()
		s.codes[code] = grant{q.Get("client_id"), q.Get("redirect_uri"), q.Get("code_challenge"), q.Get("resource"), o.Login}
		s.mu.Unlock()
		back.Set("code", code)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	f := r.PostForm
	var g grant
	var ok bool
	id, secret, basic := r.BasicAuth()
	if !basic {
		id = f.Get("client_id")
	}
	s.mu.Lock()
	if secret != s.hidden[id] {
		s.mu.Unlock()
		tell(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	switch f.Get("grant_type") {
	case "authorization_code":
		g, ok = s.codes[f.Get("code")]
		delete(s.codes, f.Get("code"))
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		ok = ok && g.redirect == f.Get("redirect_uri") && base64.RawURLEncoding.EncodeToString(sum[:]) == g.challenge
	case "refresh_token":
		old := f.Get("refresh_token")
		if login, twice := s.spent[old]; twice {
			s.end(login)
			s.faults = append(s.faults, "token: a refresh token came twice")
		}
		g, ok = s.refresh[old]
		ok = ok && !s.opts.NoRenewal
		delete(s.refresh, old)
		s.spent[old] = g.login
	}
	ok = ok && g.client == id && g.resource == f.Get("resource")
	access, refresh := rand.Text(), rand.Text()
	if ok {
		s.access[access], s.refresh[refresh] = g.login, g
	}
	s.mu.Unlock()
	if !ok {
		tell(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	tell(w, http.StatusOK, map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600})
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	if g, ok := s.refresh[r.PostForm.Get("token")]; ok {
		s.end(g.login)
	}
	w.WriteHeader(http.StatusOK)
}

// tools returns the MCP endpoint.
func (s *Server) tools() http.Handler {
	server := func(r *http.Request) *mcp.Server {
		login := s.login(r)
		m := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
		m.AddTool(&mcp.Tool{Name: "whoami", Description: s.Now().Description, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				s.mu.Lock()
				s.calls = append(s.calls, login+" whoami")
				s.mu.Unlock()
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the account of " + login}}}, nil
			})
		return m
	}
	inner, sessions := mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{Stateless: true}), mcp.NewStreamableHTTPHandler(server, nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.login(r) == "" || r.Method != http.MethodPost && s.Now().Sessions {
			how := s.Now().Challenge
			if how == "" {
				how = `Bearer resource_metadata="` + s.web.URL + `/.well-known/oauth-protected-resource/mcp", scope="notes"`
			}
			w.Header().Set("WWW-Authenticate", how)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h := inner
		if s.Now().Sessions {
			h = sessions
		}
		h.ServeHTTP(w, r)
	})
}

// login returns the account whose token a request carries, "" if none does.
func (s *Server) login(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}
