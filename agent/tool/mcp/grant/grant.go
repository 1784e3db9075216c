// Package grant gets, renews and revokes tokens of people at MCP servers, as the authorization part of the Model Context
// Protocol says: protected resource metadata (RFC 9728), authorization server metadata (RFC 8414, OpenID Connect Discovery),
// clients by hand, dynamic client registration (RFC 7591) and client ID metadata documents, PKCE, resource indicators
// (RFC 8707) and the issuer in the answer (RFC 9207).
//
// It stores nothing and knows no person: maru/bot/account keeps what it returns. No error of it holds a code, a verifier or
// a token.
package grant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

var (
	// ErrNone reports that a server publishes no authorization metadata.
	ErrNone = errors.New("grant: the server publishes nothing about OAuth")
	// ErrMetadata reports unusable metadata of a server or its authorization server.
	ErrMetadata = errors.New("grant: bad metadata")
	// ErrRefused reports a refusal by the authorization server: a spent code, a revoked refresh token.
	ErrRefused = errors.New("grant: refused")
	// ErrIssuer reports an answer of another authorization server than the one asked (RFC 9207).
	ErrIssuer = errors.New("grant: the answer is of another authorization server")
)

// Client speaks with authorization servers. It is safe for concurrent use.
type Client struct {
	HTTP     http.RoundTripper // checks the addresses that it dials
	Now      func() time.Time
	Document string            // address at which Document is served, over https; "" if it is not
	Members  map[string]Member // what operators registered by hand, by the URLs of servers

	// Hand returns what an admin registered by hand for the server of a name and URL; nil: nothing. Its secret is kept nowhere
	// else.
	Hand func(ctx context.Context, name, server string) (Member, bool, error)
}

// Site is the metadata of a server and of its authorization server.
type Site struct {
	Resource string   `json:"resource"`
	Issuer   string   `json:"issuer"`
	Begin    string   `json:"begin"` // authorization endpoint
	Token    string   `json:"token"`
	Register string   `json:"register,omitempty"`
	Document bool     `json:"document,omitempty"` // it reads client ID metadata documents
	Revoke   string   `json:"revoke,omitempty"`
	Scopes   []string `json:"scopes,omitempty"`
	Named    bool     `json:"named,omitempty"` // it names itself in its answers
	Methods  []string `json:"methods,omitempty"`
}

// requestTime bounds one request.
const requestTime = 15 * time.Second

// http returns a client that follows redirects only within one origin.
func (c Client) http() *http.Client {
	return &http.Client{
		Transport: c.HTTP, Timeout: requestTime,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if first := via[0].URL; r.Method != http.MethodGet || len(via) > 3 || r.URL.Scheme != first.Scheme || r.URL.Host != first.Host {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// hello is the first request of a client without a token.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"maru","version":"1"}}}`

// Find asks a server without a token and reads where people sign in. The error is [ErrNone] if it does not say, and
// [ErrMetadata] if what it says cannot be used.
func (c Client) Find(ctx context.Context, server string) (Site, error) {
	challenges, err := c.challenge(ctx, server)
	if err != nil {
		return Site{}, err
	}
	var scopes []string
	at := ""
	for _, ch := range challenges {
		if ch.Scheme == "bearer" && at == "" {
			at, scopes = ch.Params["resource_metadata"], strings.Fields(ch.Params["scope"])
		}
	}
	site, found, err := c.resource(ctx, at, server)
	if err != nil {
		return Site{}, err
	}
	// The SDK inserts the path as it is: "https://tenant.example.com/" would be asked for below a path with a slash too many.
	meta, err := auth.GetAuthServerMetadata(ctx, strings.TrimRight(site.Issuer, "/"), c.http())
	switch {
	case err != nil:
		return Site{}, fmt.Errorf("%w: %w", ErrMetadata, err)
	case meta == nil && !found:
		return Site{}, ErrNone
	case meta == nil || meta.AuthorizationEndpoint == "" || meta.TokenEndpoint == "":
		return Site{}, fmt.Errorf("%w: %s publishes no endpoints", ErrMetadata, site.Issuer)
	case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return Site{}, fmt.Errorf("%w: %s does not take PKCE with S256", ErrMetadata, site.Issuer)
	}
	site.Issuer = meta.Issuer // as the answer will name it
	site.Begin, site.Token, site.Register = meta.AuthorizationEndpoint, meta.TokenEndpoint, meta.RegistrationEndpoint
	site.Document = meta.ClientIDMetadataDocumentSupported
	site.Named, site.Methods = meta.AuthorizationResponseIssParameterSupported, meta.TokenEndpointAuthMethodsSupported
	if u, err := url.Parse(meta.RevocationEndpoint); err == nil && (u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(site.Token, "http://")) {
		site.Revoke = meta.RevocationEndpoint
	}
	if len(scopes) > 0 {
		site.Scopes = scopes
	}
	if slices.Contains(meta.ScopesSupported, "offline_access") && !slices.Contains(site.Scopes, "offline_access") {
		site.Scopes = append(site.Scopes, "offline_access") // else there may be no refresh token
	}
	return site, nil
}

// challenge asks a server without a token and returns how it refuses.
func (c Client) challenge(ctx context.Context, server string) ([]oauthex.Challenge, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server, strings.NewReader(hello))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := c.http().Do(r)
	if err != nil {
		return nil, fmt.Errorf("grant: ask the server: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 1<<16)
	switch {
	case resp.StatusCode >= 500:
		return nil, fmt.Errorf("grant: ask the server: status %d", resp.StatusCode)
	case resp.StatusCode != http.StatusUnauthorized:
		return nil, ErrNone
	}
	challenges, _ := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate")) // without one that can be read, the usual places are looked at
	return challenges, nil
}

// resource reads the metadata of a server: where it says, at its path, at the root of its host. Without any, the host is its
// own authorization server, as the protocol had it first, and found is false.
func (c Client) resource(ctx context.Context, said, server string) (site Site, found bool, err error) {
	u, err := url.Parse(server)
	if err != nil {
		return Site{}, false, fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	root := url.URL{Scheme: u.Scheme, Host: u.Host}
	const known = "/.well-known/oauth-protected-resource"
	own := []string{server, other(server)}
	within := append(own[:2:2], above(u)...)
	tries := []struct {
		at    string
		names []string
	}{{said, own}, {root.String() + known + "/" + strings.TrimLeft(u.EscapedPath(), "/"), within}, {root.String() + known, within}}
	var last error
	for _, t := range tries {
		if t.at == "" {
			continue
		}
		asked := c.http()
		asked.Transport = &firstAnswer{RoundTripper: asked.Transport}
		for _, name := range t.names {
			meta, err := oauthex.GetProtectedResourceMetadata(ctx, t.at, name, asked)
			if err != nil {
				last = err
				continue
			}
			if len(meta.AuthorizationServers) == 0 {
				return Site{}, true, fmt.Errorf("%w: %s names no authorization server", ErrMetadata, t.at)
			}
			return Site{Resource: meta.Resource, Issuer: meta.AuthorizationServers[0], Scopes: meta.ScopesSupported}, true, nil
		}
	}
	if said != "" {
		return Site{}, true, fmt.Errorf("%w: %w", ErrMetadata, last)
	}
	return Site{Resource: server, Issuer: root.String()}, false, nil
}

// other returns an address with its last slash, or without it: servers differ in what they call themselves.
func other(address string) string {
	if bare, ok := strings.CutSuffix(address, "/"); ok {
		return bare
	}
	return address + "/"
}

// above returns an address and those of the folders above it, which many servers name as their resource; clients of the protocol
// take them. They count only in metadata that the owner of the host publishes. Otherwise one of several servers on a host could
// get tokens for the others.
func above(u *url.URL) []string {
	host, path := u.Scheme+"://"+u.Host, strings.TrimRight(u.EscapedPath(), "/")
	out := []string{host + path, host + path + "/"}
	for path != "" {
		path = path[:strings.LastIndex(path, "/")]
		out = append(out, host+path, host+path+"/")
	}
	return out
}

// firstAnswer sends one request; later ones get the same answer.
type firstAnswer struct {
	http.RoundTripper

	got  *http.Response
	body []byte
	err  error
}

// RoundTrip implements [http.RoundTripper].
func (f *firstAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.got == nil && f.err == nil {
		f.ask(r)
	}
	if f.err != nil {
		return nil, f.err
	}
	again := *f.got
	again.Request, again.Body = r, io.NopCloser(bytes.NewReader(f.body))
	if again.StatusCode/100 == 3 {
		f.got = nil // the next request goes where this answer leads
	}
	return &again, nil
}

func (f *firstAnswer) ask(r *http.Request) {
	if f.got, f.err = f.RoundTripper.RoundTrip(r); f.err != nil {
		return
	}
	defer f.got.Body.Close()
	f.body, f.err = io.ReadAll(io.LimitReader(f.got.Body, 1<<20))
}

// pending is what one sign-in keeps between its halves.
type pending struct {
	Site     Site   `json:"site"`
	Client   member `json:"client"`
	Redirect string `json:"redirect"`
	Verifier string `json:"verifier"`
	State    string `json:"state"`
}
