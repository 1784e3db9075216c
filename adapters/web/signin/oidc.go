package signin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// OIDC is a company's OpenID Connect provider.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	Scopes       []string // default openid, profile and email
	Roles        []Rule
}

// Slack is "Sign in with Slack": an OpenID Connect provider whose accounts are people of workspaces.
type Slack struct {
	Issuer       string // https://slack.com
	ClientID     string
	ClientSecret string
}

// TeamOIDC is the team of an OIDC provider's accounts.
const TeamOIDC = "oidc"

// again is the retry delay of a provider that did not answer.
const again = 2 * time.Second

// client is an OpenID Connect provider, discovered at the first sign-in.
type client struct {
	OIDC
	id     string
	http   *http.Client
	now    func() time.Time
	pkce   bool
	people func(ctx context.Context, c *client, t token) ([]Identity, error)

	mu    sync.Mutex
	found *oidc.Provider
	style oauth2.AuthStyle
	tried time.Time
	err   error
}

// token is a provider's verified response to a code.
type token struct {
	source oauth2.TokenSource
	id     *oidc.IDToken
	claims map[string]any
	from   *oidc.Provider
}

func newOIDC(o OIDC, h *http.Client, now func() time.Time) *client {
	if len(o.Scopes) == 0 {
		o.Scopes = []string{oidc.ScopeOpenID, "profile", "email"}
	}
	if !slices.Contains(o.Scopes, oidc.ScopeOpenID) {
		o.Scopes = append([]string{oidc.ScopeOpenID}, o.Scopes...)
	}
	return &client{OIDC: o, id: WayOIDC, http: h, now: now, pkce: true, people: account}
}

// newSlack returns Slack's provider. It documents no PKCE; the client secret and the state bind the code.
func newSlack(s Slack, h *http.Client, now func() time.Time) *client {
	o := OIDC{Issuer: s.Issuer, ClientID: s.ClientID, ClientSecret: s.ClientSecret, Scopes: []string{oidc.ScopeOpenID, "profile"}}
	return &client{OIDC: o, id: WaySlack, http: h, now: now, people: member}
}

func (c *client) way() Way {
	w := Way{ID: c.id}
	if u, err := url.Parse(c.Issuer); err == nil && c.id == WayOIDC {
		w.Host = u.Host
	}
	return w
}

func (c *client) ready(ctx context.Context) error {
	_, _, err := c.provider(ctx)
	return err
}

// provider returns the provider's discovered configuration. A failed discovery is retried after a moment.
func (c *client) provider(ctx context.Context) (*oidc.Provider, oauth2.AuthStyle, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found != nil {
		return c.found, c.style, nil
	}
	if now := c.now(); c.err != nil && now.Sub(c.tried) < again {
		return nil, 0, c.err
	}
	// Finish even if this visitor is gone: the next one needs the result too. Errors of go-oidc quote the provider's whole body.
	p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), c.http), c.Issuer)
	c.tried, c.err = c.now(), nil
	if err != nil {
		c.err = unreachable(fmt.Errorf("read %s/.well-known/openid-configuration: %.200q", strings.TrimSuffix(c.Issuer, "/"), err.Error()))
		return nil, 0, c.err
	}
	var says struct {
		Auth []string `json:"token_endpoint_auth_methods_supported"`
	}
	_ = p.Claims(&says) // read once already
	c.found, c.style = p, oauth2.AuthStyleInHeader
	if len(says.Auth) > 0 && !slices.Contains(says.Auth, "client_secret_basic") {
		c.style = oauth2.AuthStyleInParams
	}
	return p, c.style, nil
}

func (c *client) oauth(ctx context.Context, redirect string) (*oauth2.Config, *oidc.Provider, error) {
	p, style, err := c.provider(ctx)
	if err != nil {
		return nil, nil, err
	}
	end := p.Endpoint()
	end.AuthStyle = style
	return &oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, Endpoint: end, RedirectURL: redirect, Scopes: c.Scopes}, p, nil
}

func (c *client) authorize(ctx context.Context, f flow, redirect string) (string, error) {
	o, _, err := c.oauth(ctx, redirect)
	if err != nil {
		return "", err
	}
	opts := []oauth2.AuthCodeOption{oidc.Nonce(f.Nonce)}
	if c.pkce {
		opts = append(opts, oauth2.S256ChallengeOption(f.Verifier))
	}
	return o.AuthCodeURL(f.State, opts...), nil
}

func (c *client) redeem(ctx context.Context, f flow, redirect, code string) ([]Identity, error) {
	o, p, err := c.oauth(ctx, redirect)
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, c.http)
	var opts []oauth2.AuthCodeOption
	if c.pkce {
		opts = append(opts, oauth2.VerifierOption(f.Verifier))
	}
	t, err := o.Exchange(ctx, code, opts...)
	if err != nil {
		return nil, exchangeProblem(err)
	}
	raw, _ := t.Extra("id_token").(string)
	if raw == "" {
		return nil, refused(errors.New("the provider gave no ID token"))
	}
	id, err := p.Verifier(&oidc.Config{ClientID: c.ClientID, Now: c.now}).Verify(ctx, raw)
	if err != nil {
		return nil, refused(fmt.Errorf("verify ID token: %.200q", err.Error()))
	}
	if !same(f.Nonce, id.Nonce) {
		return nil, refused(errors.New("the ID token is of another sign-in: its nonce differs"))
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return nil, refused(fmt.Errorf("read ID token: %w", err))
	}
	return c.people(ctx, c, token{o.TokenSource(ctx, t), id, claims, p})
}

// exchangeProblem distinguishes a provider that rejects a code from one that does not answer. The error does not
// contain the provider's body.
func exchangeProblem(err error) error {
	var r *oauth2.RetrieveError
	if errors.As(err, &r) && r.Response != nil && r.Response.StatusCode < http.StatusInternalServerError {
		return refused(fmt.Errorf("the provider refused the code: %.60q", r.ErrorCode))
	}
	if errors.As(err, &r) {
		return unreachable(errors.New("the provider's token endpoint failed"))
	}
	return unreachable(fmt.Errorf("exchange code: %w", err))
}

// account returns the person of a company's provider, with the role from the rules.
func account(ctx context.Context, c *client, t token) ([]Identity, error) {
	if missing(c.Roles, t.claims) && t.from.UserInfoEndpoint() != "" {
		info, err := t.from.UserInfo(ctx, t.source)
		if err != nil {
			return nil, unreachable(errors.New("the provider's userinfo endpoint failed"))
		}
		more := map[string]any{}
		if err := info.Claims(&more); err != nil || info.Subject != t.id.Subject {
			return nil, refused(errors.New("the provider's userinfo is another account's"))
		}
		for k, v := range more {
			if _, there := t.claims[k]; !there {
				t.claims[k] = v
			}
		}
	}
	role := roleOf(c.Roles, t.claims)
	if role == "" {
		return nil, &Problem{Key: "signin.no_role", Status: http.StatusForbidden}
	}
	sum := sha256.Sum256([]byte(t.id.Issuer + "\n" + t.id.Subject))
	mail := ""
	if verified(t.claims["email_verified"]) {
		mail = strings.ToLower(text(t.claims, "email"))
	}
	if len(mail) > maxMail || !strings.Contains(mail, "@") {
		mail = ""
	}
	return []Identity{{
		Mail:     mail,
		Platform: "web", Team: TeamOIDC, User: "oidc-" + hex.EncodeToString(sum[:10]), Role: role, Rules: c.digest(),
		Name: short(cmp.Or(text(t.claims, "name"), text(t.claims, "preferred_username"), text(t.claims, "email"))),
	}}, nil
}

// platformID matches the platforms' IDs of workspaces and people.
var platformID = regexp.MustCompile(`^[A-Za-z0-9]{1,40}$`)

// member returns the person of a Slack workspace.
func member(_ context.Context, _ *client, t token) ([]Identity, error) {
	i := Identity{Platform: WaySlack, Team: text(t.claims, "https://slack.com/team_id"), User: text(t.claims, "https://slack.com/user_id"), Name: short(text(t.claims, "name"))}
	if !platformID.MatchString(i.Team) || !platformID.MatchString(i.User) {
		return nil, refused(errors.New("slack named no workspace and person"))
	}
	return []Identity{i}, nil
}

// text returns a claim that is a single text.
func text(claims map[string]any, name string) string {
	s, _ := claims[name].(string)
	return s
}

// maxMail is the maximum length of an address by RFC 5321.
const maxMail = 254

// maxName limits a name in a cookie, in characters.
const maxName = 60

func short(name string) string { return shortTo(name, maxName) }

func shortTo(name string, most int) string {
	if r := []rune(name); len(r) > most {
		return string(r[:most])
	}
	return name
}
