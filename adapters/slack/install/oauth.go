package install

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	installPath  = "/slack/oauth/install"
	CallbackPath = "/slack/oauth/callback"
	oauthCookie  = "maru_slack_install"
	stateFor     = 10 * time.Minute // time for a person to approve the app
	stateName    = "slack/oauth/state"
	exchangeTime = 15 * time.Second
	maxState     = 2048
)

// state is the OAuth state parameter. It is sealed, so that it cannot be forged; bound to the
// browser by a cookie, so that nobody can be made to finish another person's installation;
// and valid once.
type state struct {
	ID       string    `json:"i"`
	Browser  []byte    `json:"b"` // SHA-256 of the cookie
	Redirect string    `json:"r"`
	Until    time.Time `json:"u"`
}

// Pages are the web pages that begin an installation and complete it after Slack's redirect.
type Pages struct {
	cfg   Config
	reg   *Registry
	vault *Vault
	used  *onetime                       // states that were used
	ours  func(body payload.Object) bool // reports whether a payload belongs to this app
}

// NewPages returns the pages that install workspaces in reg.
func NewPages(c Config, reg *Registry, ours func(payload.Object) bool) *Pages {
	return &Pages{cfg: c, reg: reg, vault: reg.vault, used: reg.used, ours: ours}
}

// Mount registers the pages.
func (p *Pages) Mount(mux *http.ServeMux, in bot.Intake) {
	mux.HandleFunc("GET "+installPath, p.beginInstall)
	mux.HandleFunc("GET "+CallbackPath, func(w http.ResponseWriter, r *http.Request) { p.endInstall(w, r, in) })
}

// beginInstall redirects a person to Slack, to choose a workspace and approve the app.
func (p *Pages) beginInstall(w http.ResponseWriter, r *http.Request) {
	browser := RandomName()
	sum := sha256.Sum256([]byte(browser))
	st := state{ID: RandomName(), Browser: sum[:], Redirect: p.redirect(r), Until: p.cfg.Now().Add(stateFor)}
	raw, err := json.Marshal(st)
	if err != nil {
		p.page(w, r, http.StatusInternalServerError, "slack.install.failed")
		return
	}
	p.setCookie(w, st.Redirect, browser)
	q := url.Values{
		"client_id": {p.cfg.ClientID}, "scope": {p.cfg.Scopes}, "redirect_uri": {st.Redirect},
		"state": {base64.RawURLEncoding.EncodeToString(p.vault.seal(stateName, raw))},
	}
	if team := r.URL.Query().Get("team"); team != "" && len(team) < 40 {
		q.Set("team", team)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, p.authorizePage()+"?"+q.Encode(), http.StatusFound)
}

// authorizePage is Slack's OAuth page, next to the Web API.
func (p *Pages) authorizePage() string {
	u := *p.cfg.Base
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/api") + "/oauth/v2/authorize"
	return u.String()
}

// redirect returns the URL to which Slack redirects after approval. Slack accepts only URLs
// in the app's settings, so a forged Host header is harmless.
func (p *Pages) redirect(r *http.Request) string {
	base := p.cfg.PublicURL
	if base == "" {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		base = scheme + "://" + r.Host
	}
	return strings.TrimSuffix(base, "/") + CallbackPath
}

// setCookie binds the installation to the browser. The cookie lives as long as the state:
// reloading the last page says that the link was used, and a cancelled approval can still be
// resumed. It is sent with Slack's redirect.
func (p *Pages) setCookie(w http.ResponseWriter, redirect, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: oauthCookie, Value: value, Path: "/slack/oauth/", MaxAge: int(stateFor / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(redirect, "https://"),
	})
}

// endInstall completes an installation: it exchanges the code for tokens, and seals and
// stores them.
func (p *Pages) endInstall(w http.ResponseWriter, r *http.Request, in bot.Intake) {
	ctx, cancel := context.WithTimeout(r.Context(), exchangeTime)
	defer cancel()
	q := r.URL.Query()
	st, fault := p.checkState(r, q.Get("state"))
	switch code := q.Get("error"); {
	case fault != "":
		p.page(w, r, http.StatusForbidden, fault)
		return
	case code == "access_denied":
		p.page(w, r, http.StatusOK, "slack.install.denied")
		return
	case code != "" || q.Get("code") == "":
		p.page(w, r, http.StatusBadRequest, "slack.install.incomplete")
		return
	}
	if once, err := p.used.claim(ctx, st.ID, st.Until); err != nil || !once {
		status, key := http.StatusForbidden, "slack.install.used"
		if err != nil {
			p.cfg.Log.ErrorContext(ctx, "slack installation", "err", err)
			status, key = http.StatusServiceUnavailable, "slack.install.failed"
		}
		p.page(w, r, status, key)
		return
	}
	resp, err := slack.GetOAuthV2ResponseContext(ctx, p.cfg.HTTPClient, p.cfg.ClientID, p.cfg.ClientSecret, q.Get("code"), st.Redirect,
		slack.OAuthOptionAPIURL(p.cfg.Base.String()))
	if err != nil {
		code := cmp.Or(web.Code(err), "network")
		p.cfg.Log.ErrorContext(ctx, "slack installation was refused", "method", "oauth.v2.access", "code", code)
		status, key := exchangeFault(code)
		if key == "slack.install.used" { // the code adds nothing to the sentence
			p.page(w, r, status, key)
			return
		}
		p.page(w, r, status, key, code)
		return
	}
	p.finishInstall(ctx, w, r, in, resp)
}

// exchangeFault returns the page for an error code of oauth.v2.access.
func exchangeFault(code string) (status int, key string) {
	switch code {
	case "invalid_code", "code_already_used", "code_expired":
		return http.StatusForbidden, "slack.install.used"
	case "bad_client_secret", "invalid_client_id", "bad_redirect_uri", "invalid_redirect_uri", "oauth_authorization_url_mismatch",
		"redirect_uri_mismatch", "no_scopes", "invalid_scope", "invalid_scope_requested", "invalid_grant_type":
		return http.StatusBadGateway, "slack.install.misconfigured"
	}
	return http.StatusBadGateway, "slack.install.unreachable"
}

// checkState returns a callback's state, or the catalogue key of its fault.
func (p *Pages) checkState(r *http.Request, text string) (st state, fault string) {
	const foreign = "slack.install.foreign"
	if text == "" || len(text) > maxState {
		return state{}, foreign
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return state{}, foreign
	}
	raw, _, err := p.vault.open(stateName, sealed)
	if err != nil || json.Unmarshal(raw, &st) != nil {
		return state{}, foreign
	}
	if p.cfg.Now().After(st.Until) {
		return state{}, "slack.install.expired"
	}
	c, err := r.Cookie(oauthCookie)
	if err != nil {
		return state{}, foreign
	}
	sum := sha256.Sum256([]byte(c.Value))
	if subtle.ConstantTimeCompare(sum[:], st.Browser) != 1 {
		return state{}, foreign
	}
	return st, ""
}

// finishInstall stores the installation that Slack returned.
func (p *Pages) finishInstall(ctx context.Context, w http.ResponseWriter, r *http.Request, in bot.Intake, resp *slack.OAuthV2Response) {
	row := bot.Installation{
		Platform: payload.Platform, Team: resp.Team.ID, Enterprise: resp.Enterprise.ID, Name: resp.Team.Name,
		BotUser: resp.BotUserID, By: resp.AuthedUser.ID, Scopes: resp.Scope,
	}
	if resp.IsEnterpriseInstall {
		row.Team, row.Org, row.Name = resp.Enterprise.ID, true, resp.Enterprise.Name
	}
	tenants, ok := in.(bot.Tenants)
	switch {
	case !ok || row.Team == "" || row.BotUser == "" || resp.AccessToken == "" || resp.TokenType != "bot" || !p.ours(payload.Object{"api_app_id": payload.Quote(resp.AppID)}):
		p.cfg.Log.ErrorContext(ctx, "slack installation returned no bot token of this app", "team", row.Team, "token_type", resp.TokenType)
		p.page(w, r, http.StatusBadGateway, "slack.install.misconfigured", "no_bot_token")
		return
	case !p.mayInstall(row):
		p.revoke(ctx, resp.AccessToken)
		p.cfg.Log.WarnContext(ctx, "slack installation was refused: SLACK_INSTALL_TEAMS does not name the workspace", "team", row.Team, "enterprise", row.Enterprise)
		p.page(w, r, http.StatusForbidden, "slack.install.closed", row.Team)
		return
	}
	at := p.cfg.Now().UTC()
	row, err := p.vault.sealed(row, tokens{Token: resp.AccessToken, Refresh: resp.RefreshToken, At: at})
	if err == nil {
		row.Expires = expiry(at, resp.ExpiresIn)
		row, err = tenants.Join(ctx, row)
	}
	if err == nil {
		p.reg.forgetUnknown(row.Team)
		_, err = p.reg.load(ctx, row)
	}
	if err != nil {
		p.cfg.Log.ErrorContext(ctx, "slack installation was not stored", "team", row.Team, "err", err)
		p.page(w, r, http.StatusServiceUnavailable, "slack.install.failed")
		return
	}
	p.cfg.Log.InfoContext(ctx, "slack workspace installed the app", "team", row.Team, "name", row.Name, "enterprise", row.Org)
	p.page(w, r, http.StatusOK, "slack.install.done", cmp.Or(row.Name, row.Team))
}

// mayInstall reports whether a workspace may install the app.
func (p *Pages) mayInstall(row bot.Installation) bool {
	return len(p.cfg.Teams) == 0 || slices.Contains(p.cfg.Teams, row.Team) || row.Enterprise != "" && slices.Contains(p.cfg.Teams, row.Enterprise)
}

// GiveBack revokes an installation's token, which uninstalls the app from the workspace.
func (p *Pages) GiveBack(ctx context.Context, row bot.Installation) error {
	if row.Covered() {
		return fmt.Errorf("slack: the installation of organisation %s serves the workspace, and goes on elsewhere", row.Enterprise)
	}
	tok, _, err := p.vault.unseal(row)
	if err != nil {
		return err
	}
	return web.Delivery("auth.revoke", p.sendRevoke(ctx, tok.Token))
}

// revoke revokes an unwanted token.
func (p *Pages) revoke(ctx context.Context, token string) {
	if err := p.sendRevoke(ctx, token); err != nil {
		p.cfg.Log.WarnContext(ctx, "slack token was not revoked", "code", cmp.Or(web.Code(err), "network"))
	}
}

func (p *Pages) sendRevoke(ctx context.Context, token string) error {
	api := slack.New(token, slack.OptionAPIURL(p.cfg.Base.String()), slack.OptionHTTPClient(p.cfg.HTTPClient))
	_, err := api.SendAuthRevokeContext(ctx, token)
	return err
}
