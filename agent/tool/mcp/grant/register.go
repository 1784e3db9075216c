package grant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Member is a client that somebody registered by hand at an authorization server. Secret is "" for a public client.
type Member struct{ ID, Secret string }

// member is Maru as a client of an authorization server.
type member struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
	Params bool   `json:"params,omitempty"` // it tells its secret in the form, not in a header
	Hand   string `json:"hand,omitempty"`   // URL of the server for which somebody registered it
	Name   string `json:"name,omitempty"`   // name of that server, if an admin did; "" for an operator
}

// join makes Maru a client of a server's authorization server: the one that an operator or admin registered, else a new one, else the one
// that its metadata document describes. The document comes last although the protocol prefers it: if the authorization server
// cannot reach Maru, only the person sent there sees the failure.
func (c Client) join(ctx context.Context, name, server string, s Site, redirect string) (member, error) {
	m := member{Hand: server}
	own, ok := c.Members[server]
	if !ok && c.Hand != nil && name != "" {
		var err error
		if own, ok, err = c.Hand(ctx, name, server); err != nil {
			return member{}, err
		}
		m.Name = name
	}
	if ok {
		m.ID, m.Params = own.ID, own.Secret == "" || slices.Contains(s.Methods, "client_secret_post") && !slices.Contains(s.Methods, "client_secret_basic")
		if m.Name == "" {
			m.Secret = own.Secret
		}
		return m, nil
	}
	m, err := c.register(ctx, s, redirect)
	if errors.Is(err, ErrRefused) && s.Document && c.Document != "" {
		return member{ID: c.Document, Params: true}, nil
	}
	return m, err
}

// Joins reports whether Maru can become a client of an authorization server without anybody's help.
func (c Client) Joins(s Site) bool { return s.Register != "" || s.Document && c.Document != "" }

// current returns a client with the secret that it has today: people change those of clients that they registered. The error is
// [ErrRefused] if an admin removed or replaced it.
func (c Client) current(ctx context.Context, m member) (member, error) {
	if m.Name == "" {
		if own, ok := c.Members[m.Hand]; ok && own.ID == m.ID {
			m.Secret = own.Secret
		}
		return m, nil
	}
	own, ok := Member{}, false
	if c.Hand != nil {
		var err error
		if own, ok, err = c.Hand(ctx, m.Name, m.Hand); err != nil {
			return member{}, err
		}
	}
	if !ok || own.ID != m.ID {
		return member{}, fmt.Errorf("%w: the client of %s was removed or replaced", ErrRefused, m.Name)
	}
	m.Secret = own.Secret
	return m, nil
}

// register makes Maru known to an authorization server.
func (c Client) register(ctx context.Context, s Site, redirect string) (member, error) {
	if s.Register == "" {
		return member{}, fmt.Errorf("%w: %s registers no clients by itself; an operator can give the client_id of one that is registered there", ErrRefused, s.Issuer)
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
	asked := c.http()
	status := &lastStatus{RoundTripper: asked.Transport}
	asked.Transport = status
	got, err := oauthex.RegisterClient(ctx, s.Register, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: method, GrantTypes: []string{"authorization_code", "refresh_token"},
		ResponseTypes: []string{"code"}, ClientName: clientName, Scope: strings.Join(s.Scopes, " "), ApplicationType: kind,
	}, asked)
	var said *oauthex.ClientRegistrationError
	switch {
	case errors.As(err, &said):
		return member{}, fmt.Errorf("%w: %s does not register clients: %.60q", ErrRefused, s.Issuer, said.ErrorCode)
	case err != nil && status.code >= 400 && status.code < 500 && status.code != http.StatusTooManyRequests: // of these the SDK tells no kind
		return member{}, fmt.Errorf("%w: %s does not register clients: status %d", ErrRefused, s.Issuer, status.code)
	case err != nil: // it may hold what the server sent
		return member{}, fmt.Errorf("grant: %s did not register a client", s.Issuer)
	}
	return member{ID: got.ClientID, Secret: got.ClientSecret, Params: got.TokenEndpointAuthMethod == "client_secret_post" || got.ClientSecret == ""}, nil
}

// lastStatus remembers the status of the last answer.
type lastStatus struct {
	http.RoundTripper

	code int
}

// RoundTrip implements [http.RoundTripper].
func (l *lastStatus) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		l.code = resp.StatusCode
	}
	return resp, err
}

const clientName = "Maru"

// Document returns the metadata document of Maru as a client (draft-ietf-oauth-client-id-metadata-document), which is served at
// address and is the client's ID at authorization servers that read it.
func Document(address, home, redirect string) []byte {
	return encode(oauthDocument{
		ID: address, Name: clientName, Home: home, Redirects: []string{redirect}, Grants: []string{"authorization_code", "refresh_token"},
		Answers: []string{"code"}, Method: "none",
	})
}

type oauthDocument struct {
	ID        string   `json:"client_id"`
	Name      string   `json:"client_name"`
	Home      string   `json:"client_uri"`
	Redirects []string `json:"redirect_uris"`
	Grants    []string `json:"grant_types"`
	Answers   []string `json:"response_types"`
	Method    string   `json:"token_endpoint_auth_method"`
}

func encode(v any) json.RawMessage {
	raw, _ := json.Marshal(v) // texts alone
	return raw
}
