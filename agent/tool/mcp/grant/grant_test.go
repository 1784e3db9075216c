package grant_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
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
	at, keep, err := client.Begin(context.Background(), s.URL, redirect, "state-1")
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
