// Package grant gets, renews and revokes tokens of people at MCP servers, as the authorization part of the Model Context
// Protocol says: protected resource metadata (RFC 9728), authorization server metadata (RFC 8414), dynamic client
// registration (RFC 7591), PKCE, resource indicators (RFC 8707) and the issuer in the answer (RFC 9207).
//
// It stores nothing and knows no person: maru/bot/account keeps what it returns. No error of it holds a code, a verifier or
// a token.
package grant

import (
	"context"
	"encoding/json"
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
	// ErrNone says that a server does not tell where people sign in.
	ErrNone = errors.New("grant: the server tells nothing of OAuth")
	// ErrMetadata says that the metadata of a server or its authorization server cannot be used.
	ErrMetadata = errors.New("grant: bad metadata")
	// ErrRefused says that the authorization server refused: a spent code, a revoked refresh token.
	ErrRefused = errors.New("grant: refused")
	// ErrIssuer says that an answer is not from the authorization server that was asked (RFC 9207).
	ErrIssuer = errors.New("grant: the answer is of another authorization server")
)

// Client speaks with authorization servers. It is safe for concurrent use.
type Client struct {
	HTTP http.RoundTripper // checks the addresses that it dials
	Now  func() time.Time
}

// Site is what is known of a server and of its authorization server.
type Site struct {
	Resource string   `json:"resource"`
	Issuer   string   `json:"issuer"`
	Begin    string   `json:"begin"` // authorization endpoint
	Token    string   `json:"token"`
	Register string   `json:"register,omitempty"`
	Revoke   string   `json:"revoke,omitempty"`
	Scopes   []string `json:"scopes,omitempty"`
	Named    bool     `json:"named,omitempty"` // it names itself in its answers
	Methods  []string `json:"methods,omitempty"`
}

// requestTime bounds one request.
const requestTime = 15 * time.Second

// http returns a client that follows redirects within one origin alone.
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
	meta, err := auth.GetAuthServerMetadata(ctx, site.Issuer, c.http())
	switch {
	case err != nil:
		return Site{}, fmt.Errorf("%w: %w", ErrMetadata, err)
	case meta == nil && !found:
		return Site{}, ErrNone
	case meta == nil || meta.AuthorizationEndpoint == "" || meta.TokenEndpoint == "":
		return Site{}, fmt.Errorf("%w: %s tells no endpoints", ErrMetadata, site.Issuer)
	case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return Site{}, fmt.Errorf("%w: %s does not take PKCE with S256", ErrMetadata, site.Issuer)
	}
	site.Issuer = meta.Issuer // as the answer will name it
	site.Begin, site.Token, site.Register = meta.AuthorizationEndpoint, meta.TokenEndpoint, meta.RegistrationEndpoint
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
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMetadata, err)
	}
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
	tries := [][]string{{said, server}, {root.String() + known + "/" + strings.TrimLeft(u.EscapedPath(), "/"), server}, {root.String() + known, root.String()}}
	var last error
	for _, t := range tries {
		if t[0] == "" {
			continue
		}
		for _, resource := range []string{t[1], other(t[1])} {
			meta, err := oauthex.GetProtectedResourceMetadata(ctx, t[0], resource, c.http())
			if err != nil {
				last = err
				continue
			}
			if len(meta.AuthorizationServers) == 0 {
				return Site{}, true, fmt.Errorf("%w: %s names no authorization server", ErrMetadata, t[0])
			}
			return Site{Resource: meta.Resource, Issuer: meta.AuthorizationServers[0], Scopes: meta.ScopesSupported}, true, nil
		}
	}
	if said != "" {
		return Site{}, true, fmt.Errorf("%w: %w", ErrMetadata, last)
	}
	return Site{Resource: server, Issuer: root.String()}, false, nil
}

// other is an address with its last slash, or without it: servers differ in what they call themselves.
func other(address string) string {
	if bare, ok := strings.CutSuffix(address, "/"); ok {
		return bare
	}
	return address + "/"
}

// member is Maru as a client of an authorization server.
type member struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
	Params bool   `json:"params,omitempty"` // it tells its secret in the form, not in a header
}

// register makes Maru known to an authorization server.
func (c Client) register(ctx context.Context, s Site, redirect string) (member, error) {
	if s.Register == "" {
		return member{}, fmt.Errorf("%w: %s registers no clients by itself", ErrMetadata, s.Issuer)
	}
	method := "none"
	for _, m := range []string{"client_secret_basic", "client_secret_post", "none"} { // the last that it takes
		if slices.Contains(s.Methods, m) {
			method = m
		}
	}
	kind := "web"
	if strings.HasPrefix(redirect, "http://") {
		kind = "native"
	}
	got, err := oauthex.RegisterClient(ctx, s.Register, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: method, GrantTypes: []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code"}, ClientName: "Maru", Scope: strings.Join(s.Scopes, " "), ApplicationType: kind,
	}, c.http())
	var said *oauthex.ClientRegistrationError
	switch {
	case errors.As(err, &said):
		return member{}, fmt.Errorf("%w: %s does not register clients: %.60q", ErrRefused, s.Issuer, said.ErrorCode)
	case err != nil: // it may hold what the server sent
		return member{}, fmt.Errorf("grant: %s did not register a client", s.Issuer)
	}
	return member{ID: got.ClientID, Secret: got.ClientSecret, Params: got.TokenEndpointAuthMethod == "client_secret_post" || got.ClientSecret == ""}, nil
}

// pending is what one sign-in keeps between its halves.
type pending struct {
	Site     Site   `json:"site"`
	Client   member `json:"client"`
	Redirect string `json:"redirect"`
	Verifier string `json:"verifier"`
	State    string `json:"state"`
}

func encode(v any) json.RawMessage {
	raw, _ := json.Marshal(v) // texts alone
	return raw
}
