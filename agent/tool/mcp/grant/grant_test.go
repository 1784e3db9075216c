package grant_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent/tool/mcp/grant"
	"maru/agent/tool/mcp/grant/grantfake"
)

const redirect = "https://maru.example.com/oauth/callback"

var client = grant.Client{HTTP: http.DefaultTransport, Now: time.Now}

// signIn begins, and follows the browser to the answer.
func signIn(t *testing.T, s *grantfake.Server) ([]byte, url.Values) {
	t.Helper()
	return signInAs(t, s, client)
}

func signInAs(t *testing.T, s *grantfake.Server, c grant.Client) ([]byte, url.Values) {
	t.Helper()
	at, keep, err := c.Begin(context.Background(), "notes", s.URL, redirect, "state-1")
	if err != nil {
		t.Fatal(err)
	}
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil || !strings.HasPrefix(to.String(), redirect+"?") {
		t.Fatalf("sent to %v, %v", to, err)
	}
	return keep, to.Query()
}

func TestSignInRenewRevoke(t *testing.T) {
	t.Parallel()
	s := grantfake.New(t)
	keep, answer := signIn(t, s)
	tok, err := client.Finish(context.Background(), keep, answer)
	if err != nil || tok.Access == "" || time.Until(tok.Expires) < 50*time.Minute {
		t.Fatalf("%+v, %v", tok, err)
	}
	if _, err := client.Finish(context.Background(), keep, answer); !errors.Is(err, grant.ErrRefused) {
		t.Errorf("a spent code: %v", err)
	}
	next, err := client.Renew(context.Background(), tok)
	if err != nil || next.Access == tok.Access || next.Refresh == tok.Refresh {
		t.Fatalf("%+v, %v", next, err)
	}
	if err := client.Revoke(context.Background(), next); err != nil || s.Live("ann") != 0 {
		t.Errorf("revoke: %v, %d live", err, s.Live("ann"))
	}
	if _, err := client.Renew(context.Background(), next); !errors.Is(err, grant.ErrRefused) {
		t.Errorf("renew a revoked token: %v", err)
	}
	if f := s.Faults(); len(f) > 0 {
		t.Error(f)
	}
}

// TestFormsOfServers signs in, renews and revokes at servers that publish their metadata in other forms, and at those that register no
// clients by themselves.
func TestFormsOfServers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set    func(*grantfake.Options)
		hand   string // secret of the client that is registered by hand, "-" for a public one
		joined string // beginning of the client's ID
	}{
		"resource_is_the_host":    {func(o *grantfake.Options) { o.Folder = true }, "", "client-1"},
		"issuer_ends_in_a_slash":  {func(o *grantfake.Options) { o.Slash = true }, "", "client-1"},
		"says_only_bearer":        {func(o *grantfake.Options) { o.Challenge = "Bearer" }, "", "client-1"},
		"challenge_is_broken":     {func(o *grantfake.Options) { o.Challenge = `Bearer realm="mcp" error_description=No token, , "` }, "", "client-1"},
		"by_hand":                 {func(o *grantfake.Options) { o.Closed = true }, "s3cret", "hand"},
		"by_hand_public":          {func(o *grantfake.Options) { o.Closed = true }, "-", "hand"},
		"by_hand_comes_first":     {func(o *grantfake.Options) { o.Documents = true }, "s3cret", "hand"},
		"document":                {func(o *grantfake.Options) { o.Closed, o.Documents = true, true }, "", "http"},
		"document_after_refusal":  {func(o *grantfake.Options) { o.Refusing, o.Documents = true, true }, "", "http"},
		"registered_where_it_can": {func(o *grantfake.Options) { o.Documents = true }, "", "client-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := grantfake.New(t)
			s.Set(c.set)
			var doc []byte
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(doc) }))
			t.Cleanup(web.Close)
			mine := client
			mine.Document = web.URL + "/oauth/client.json"
			doc = grant.Document(mine.Document, web.URL, redirect)
			if c.hand != "" {
				secret := strings.Trim(c.hand, "-")
				s.Know("hand", secret, redirect)
				mine.Members = map[string]grant.Member{s.URL: {ID: "hand", Secret: secret}}
			}
			at, _, err := mine.Begin(t.Context(), "notes", s.URL, redirect, "state-0")
			if err != nil {
				t.Fatal(err)
			}
			if u, err := url.Parse(at); err != nil || !strings.HasPrefix(u.Query().Get("client_id"), c.joined) {
				t.Errorf("asked as %v", u.Query())
			}
			keep, answer := signInAs(t, s, mine)
			tok, err := mine.Finish(t.Context(), keep, answer)
			if err != nil {
				t.Fatal(err)
			}
			next, err := mine.Renew(t.Context(), tok)
			if err != nil {
				t.Fatal(err)
			}
			if err := mine.Revoke(t.Context(), next); err != nil || s.Live("ann") != 0 || len(s.Faults()) > 0 {
				t.Errorf("%v, %d live, %v", err, s.Live("ann"), s.Faults())
			}
		})
	}
}

// TestSecretOfAClientChanges: accounts last when an operator changes the client_secret, and when it is wrong for a while.
func TestSecretOfAClientChanges(t *testing.T) {
	t.Parallel()
	s := grantfake.New(t)
	s.Set(func(o *grantfake.Options) { o.Closed = true })
	with := func(secret string) grant.Client {
		c := client
		c.Members = map[string]grant.Member{s.URL: {ID: "hand", Secret: secret}}
		return c
	}
	s.Know("hand", "old", redirect)
	keep, answer := signInAs(t, s, with("old"))
	tok, err := with("old").Finish(t.Context(), keep, answer)
	if err != nil {
		t.Fatal(err)
	}
	s.Know("hand", "new", redirect)
	if _, err := with("old").Renew(t.Context(), tok); err == nil || errors.Is(err, grant.ErrRefused) || strings.Contains(err.Error(), "old") {
		t.Errorf("with the old secret: %v", err)
	}
	next, err := with("new").Renew(t.Context(), tok)
	if err != nil {
		t.Fatal(err)
	}
	if err := with("new").Revoke(t.Context(), next); err != nil || s.Live("ann") != 0 {
		t.Errorf("revoke: %v, %d live", err, s.Live("ann"))
	}
}

// TestMetadataIsFoundWithFewRequests asks every address once: the server, two for its metadata, and up to three for that of the
// authorization server.
func TestMetadataIsFoundWithFewRequests(t *testing.T) {
	t.Parallel()
	const known = "/.well-known/oauth-protected-resource"
	for path, meta := range map[string]string{
		"/mcp": "/mcp", "/mcp?team=7": "/mcp?team=7", "/a%2Fb/mcp": "/a%2Fb/mcp", "/c%2Fd/mcp": "/c%2Fd", "/v1/orgs/7/mcp": "/v1", "/v1/orgs/7/servers/mcp": "",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			var s *httptest.Server
			s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				w.Header().Set("Content-Type", "application/json")
				switch {
				case r.Method == http.MethodPost:
					w.WriteHeader(http.StatusUnauthorized)
				case meta != "" && strings.HasPrefix(r.URL.Path, known+"/"):
					fmt.Fprintf(w, `{"resource":"%s","authorization_servers":["%s"]}`, s.URL+meta, s.URL)
				case r.URL.Path == "/.well-known/oauth-authorization-server":
					fmt.Fprintf(w, `{"issuer":"%[1]s","authorization_endpoint":"%[1]s/a","token_endpoint":"%[1]s/t","response_types_supported":["code"],"code_challenge_methods_supported":["S256"]}`, s.URL)
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(s.Close)
			site, err := client.Find(t.Context(), s.URL+path)
			if want := cmp.Or(meta, path); err != nil || site.Resource != s.URL+want || asked.Load() > 4 {
				t.Errorf("%q after %d requests, want %q; %v", site.Resource, asked.Load(), want, err)
			}
		})
	}
}

// TestServersThatKnowNoClients says that a client has to be registered by hand.
func TestServersThatKnowNoClients(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*grantfake.Options){
		"closed":                      func(o *grantfake.Options) { o.Closed = true },
		"refusing":                    func(o *grantfake.Options) { o.Refusing = true },
		"document_that_nobody_serves": func(o *grantfake.Options) { o.Closed, o.Documents = true, true },
		"refusing_without_a_document": func(o *grantfake.Options) { o.Refusing, o.Documents = true, true },
	} {
		s := grantfake.New(t)
		s.Set(set)
		if _, _, err := client.Begin(t.Context(), "notes", s.URL, redirect, "state-1"); !errors.Is(err, grant.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOneOfManyServersOfAHost says in its own metadata that it is the whole host: it would get tokens for the others.
func TestOneOfManyServersOfAHost(t *testing.T) {
	t.Parallel()
	var web *httptest.Server
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/evil/mcp":
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+web.URL+`/evil/meta"`)
			w.WriteHeader(http.StatusUnauthorized)
		case "/evil/meta":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"resource":"` + web.URL + `","authorization_servers":["` + web.URL + `/as"]}`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	if _, err := client.Find(t.Context(), web.URL+"/evil/mcp"); !errors.Is(err, grant.ErrMetadata) {
		t.Errorf("%v", err)
	}
}

// TestAnswersThatAreNotTheirs changes the answer of the authorization server: no token comes of it.
func TestAnswersThatAreNotTheirs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(url.Values)
		want   error
	}{
		"another_issuer": {func(v url.Values) { v.Set("iss", "https://evil.example.com") }, grant.ErrIssuer},
		"no_issuer":      {func(v url.Values) { v.Del("iss") }, grant.ErrIssuer},
		"another_state":  {func(v url.Values) { v.Set("state", "other") }, grant.ErrRefused},
		"no_code":        {func(v url.Values) { v.Del("code") }, grant.ErrRefused},
		"another_code":   {func(v url.Values) { v.Set("code", "made-up") }, grant.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := grantfake.New(t)
			keep, answer := signIn(t, s)
			secret := answer.Get("code")
			c.change(answer)
			tok, err := client.Finish(context.Background(), keep, answer)
			if !errors.Is(err, c.want) || tok.Access != "" || s.Live("ann") != 0 || strings.Contains(err.Error(), secret) {
				t.Errorf("%+v, %v", tok, err)
			}
		})
	}
}

// TestVerifierOfAnotherSignIn changes a code with the verifier of another sign-in.
func TestVerifierOfAnotherSignIn(t *testing.T) {
	t.Parallel()
	s := grantfake.New(t)
	keep, _ := signIn(t, s)
	_, answer := signIn(t, s)
	if _, err := client.Finish(context.Background(), keep, answer); !errors.Is(err, grant.ErrRefused) {
		t.Errorf("%v", err)
	}
}

func TestMetadataThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	plain := func(h http.HandlerFunc) string {
		web := httptest.NewServer(h)
		t.Cleanup(web.Close)
		return web.URL
	}
	with := func(change func(*grantfake.Options)) string {
		s := grantfake.New(t)
		s.Set(change)
		return s.URL
	}
	for name, c := range map[string]struct {
		server string
		want   error
	}{
		"another_resource": {with(func(o *grantfake.Options) { o.Resource = "https://bank.example.com/mcp" }), grant.ErrMetadata},
		"no_pkce":          {with(func(o *grantfake.Options) { o.NoPKCE = true }), grant.ErrMetadata},
		"no_metadata":      {plain(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }), grant.ErrNone},
		"open":             {plain(func(http.ResponseWriter, *http.Request) {}), grant.ErrNone},
		"far_metadata": {plain(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://169.254.169.254/latest"`)
			w.WriteHeader(http.StatusUnauthorized)
		}), grant.ErrMetadata},
		"metadata_elsewhere": {plain(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}), grant.ErrMetadata},
	} {
		if _, err := client.Find(context.Background(), c.server); !errors.Is(err, c.want) && !(name == "metadata_elsewhere" && err != nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := client.Find(context.Background(), with(func(o *grantfake.Options) { o.Down = true })); err == nil || errors.Is(err, grant.ErrNone) || errors.Is(err, grant.ErrMetadata) {
		t.Errorf("a server that is down: %v", err)
	}
}
