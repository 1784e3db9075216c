package grant

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// Token opens a server to one person. Keep is what renews and revokes it.
type Token struct {
	Access  string          `json:"access"`
	Refresh string          `json:"refresh,omitempty"`
	Expires time.Time       `json:"expires,omitzero"`
	Keep    json.RawMessage `json:"keep"`
}

// renewing is what a token needs to be renewed.
type renewing struct {
	Site   Site   `json:"site"`
	Client member `json:"client"`
}

// Begin finds a server's authorization server, registers with it, and returns the address at which a person signs in and what
// [Client.Finish] needs. name is what Maru calls the server. keep holds secrets.
func (c Client) Begin(ctx context.Context, name, server, redirect, state string) (address string, keep json.RawMessage, err error) {
	site, err := c.Find(ctx, server)
	if err != nil {
		return "", nil, err
	}
	m, err := c.join(ctx, name, server, site, redirect)
	if err != nil {
		return "", nil, err
	}
	p := pending{Site: site, Client: m, Redirect: redirect, Verifier: oauth2.GenerateVerifier(), State: state}
	address = p.config().AuthCodeURL(state, oauth2.S256ChallengeOption(p.Verifier), oauth2.SetAuthURLParam("resource", site.Resource))
	return address, encode(p), nil
}

func (p pending) config() *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if p.Client.Params {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID: p.Client.ID, ClientSecret: p.Client.Secret, RedirectURL: p.Redirect, Scopes: p.Site.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: p.Site.Begin, TokenURL: p.Site.Token, AuthStyle: style},
	}
}

// Finish takes the answer of an authorization server, and changes its code for a token.
func (c Client) Finish(ctx context.Context, keep json.RawMessage, answer url.Values) (Token, error) {
	var p pending
	if err := json.Unmarshal(keep, &p); err != nil {
		return Token{}, fmt.Errorf("grant: read a sign-in: %w", err)
	}
	if iss := answer.Get("iss"); iss != "" && iss != p.Site.Issuer || iss == "" && p.Site.Named {
		return Token{}, ErrIssuer
	}
	if answer.Get("state") != p.State || answer.Get("code") == "" {
		return Token{}, fmt.Errorf("%w: an answer without its state or code", ErrRefused)
	}
	with := p
	var err error
	if with.Client, err = c.current(ctx, p.Client); err != nil {
		return Token{}, err
	}
	if p.Client.Name == "" {
		p = with
	}
	got, err := with.config().Exchange(c.with(ctx), answer.Get("code"), oauth2.VerifierOption(p.Verifier), oauth2.SetAuthURLParam("resource", p.Site.Resource))
	return c.token(got, err, renewing{p.Site, p.Client})
}

// Renew changes a refresh token for a new token.
func (c Client) Renew(ctx context.Context, t Token) (Token, error) {
	var k renewing
	if err := json.Unmarshal(t.Keep, &k); err != nil || t.Refresh == "" {
		return Token{}, fmt.Errorf("%w: there is no refresh token", ErrRefused)
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.Refresh}, "resource": {k.Site.Resource}}
	var got struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Type    string `json:"token_type"`
		Seconds int64  `json:"expires_in"`
	}
	// x/oauth2 cannot send the resource with a renewal.
	if err := c.post(ctx, k.Site.Token, k.Client, form, &got); err != nil {
		return Token{}, err
	}
	got.Refresh = cmp.Or(got.Refresh, t.Refresh)
	next := &oauth2.Token{AccessToken: got.Access, RefreshToken: got.Refresh, TokenType: got.Type}
	if got.Seconds > 0 {
		next.Expiry = c.Now().Add(time.Duration(got.Seconds) * time.Second)
	}
	return c.token(next, nil, k)
}

// Revoke ends a token at its authorization server, where that can be asked to.
func (c Client) Revoke(ctx context.Context, t Token) error {
	var k renewing
	if err := json.Unmarshal(t.Keep, &k); err != nil || k.Site.Revoke == "" {
		return nil
	}
	form := url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}}
	if t.Refresh == "" {
		form = url.Values{"token": {t.Access}, "token_type_hint": {"access_token"}}
	}
	return c.post(ctx, k.Site.Revoke, k.Client, form, nil)
}

// token reads what an authorization server gave.
func (c Client) token(got *oauth2.Token, err error, k renewing) (Token, error) {
	if err != nil {
		return Token{}, refusal(err)
	}
	if got.AccessToken == "" || !strings.EqualFold(got.Type(), "bearer") {
		return Token{}, fmt.Errorf("%w: %s gave no bearer token", ErrMetadata, k.Site.Issuer)
	}
	return Token{Access: got.AccessToken, Refresh: got.RefreshToken, Expires: got.Expiry, Keep: encode(k)}, nil
}

// refusal is an error of a token endpoint without what the endpoint sent.
func refusal(err error) error {
	var said *oauth2.RetrieveError
	switch {
	case !errors.As(err, &said):
		return fmt.Errorf("grant: the token endpoint: %w", err)
	case said.Response != nil && said.Response.StatusCode >= 500:
		return fmt.Errorf("grant: the token endpoint: status %d", said.Response.StatusCode)
	}
	return fmt.Errorf("%w: %.60q", ErrRefused, said.ErrorCode)
}

// with has x/oauth2 use the guarded client.
func (c Client) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c.http())
}

// post sends a form as the client that is registered there. Its error is no [ErrRefused] where the client is at fault and an
// operator can mend it: the token is still good.
func (c Client) post(ctx context.Context, at string, m member, form url.Values, into any) error {
	m, err := c.current(ctx, m)
	if err != nil {
		return err
	}
	if m.Params {
		form.Set("client_id", m.ID)
		if m.Secret != "" {
			form.Set("client_secret", m.Secret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if !m.Params {
		r.SetBasicAuth(url.QueryEscape(m.ID), url.QueryEscape(m.Secret))
	}
	resp, err := c.http().Do(r)
	if err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	defer resp.Body.Close()
	body := json.NewDecoder(http.MaxBytesReader(nil, resp.Body, 1<<20))
	switch {
	case resp.StatusCode >= 500:
		return fmt.Errorf("grant: the token endpoint: status %d", resp.StatusCode)
	case resp.StatusCode >= 300:
		var said struct {
			Error string `json:"error"`
		}
		_ = body.Decode(&said)
		if m.Hand != "" && said.Error == "invalid_client" {
			return fmt.Errorf("grant: the authorization server does not take the client_id %.60q and the client_secret that were given for it", m.ID)
		}
		return fmt.Errorf("%w: status %d, %.60q", ErrRefused, resp.StatusCode, said.Error)
	case into == nil:
		return nil
	}
	if err := body.Decode(into); err != nil {
		return fmt.Errorf("%w: a token that is no JSON", ErrMetadata)
	}
	return nil
}
