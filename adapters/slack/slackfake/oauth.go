package slackfake

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ClientID returns the id of the app, for SLACK_CLIENT_ID.
func (p *App) ClientID() string { return "1234.5678" }

// ClientSecret returns the secret of the app, for SLACK_CLIENT_SECRET.
func (p *App) ClientSecret() string { return "fake-client-secret" }

// grant is an authorisation of a workspace or organisation: a code, then an access token, with a refresh token if
// tokens expire.
type grant struct {
	team, enterprise, user string
	org                    bool
	scope, redirect        string
	born                   time.Time
	used                   bool   // code or refresh token
	refused                string // why the access token is taken no more, "" while it is
}

// refuse returns why a workspace rejects a token, "" if it accepts it.
func (s *Server) refuse(token string) string {
	if s.app == nil {
		if token == s.BotToken() {
			return ""
		}
		return "invalid_auth"
	}
	g := s.app.access[token]
	switch {
	case g == nil || g.team != s.opt.Team && (!g.org || g.enterprise != s.opt.Enterprise):
		return "invalid_auth"
	case g.refused != "":
		return g.refused
	case s.app.opt.TokenLife > 0 && s.opt.Now().Sub(g.born) >= s.app.opt.TokenLife:
		return "token_expired"
	}
	return ""
}

func (s *Server) authRevoke(args) (map[string]any, string) {
	if s.app != nil {
		s.app.access[s.caller].refused = "token_revoked"
	}
	return map[string]any{"revoked": true}, ""
}

// Allow makes a person allow the app in their workspace on the page to which the bot redirects, and returns
// Slack's redirect. It returns an error for an invalid page.
func (p *App) Allow(team, user, page string) (string, error) {
	q, err := p.checkPage(page)
	if err != nil {
		return "", err
	}
	back := url.Values{"state": {q.Get("state")}}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.servers, func(s *Server) bool { return s.opt.Team == team })
	if i < 0 {
		return "", fmt.Errorf("slackfake: there is no workspace %s", team)
	}
	if p.opt.Denied {
		back.Set("error", "access_denied")
		return q.Get("redirect_uri") + "?" + back.Encode(), nil
	}
	o := p.servers[i].opt
	code := p.desk.id("code-")
	p.codes[code] = &grant{
		team: o.Team, enterprise: o.Enterprise, org: o.Org, user: user, scope: q.Get("scope"), redirect: q.Get("redirect_uri"), born: p.opt.Now(),
	}
	back.Set("code", code)
	return q.Get("redirect_uri") + "?" + back.Encode(), nil
}

// checkPage reads the address of the page on which people allow the app.
func (p *App) checkPage(page string) (url.Values, error) {
	u, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	redirect := q.Get("redirect_uri")
	switch {
	case u.Scheme+"://"+u.Host+u.Path != p.base+"/oauth/v2/authorize":
		return nil, fmt.Errorf("slackfake: %s is not a page of Slack", u.Path)
	case q.Get("client_id") != p.ClientID():
		return nil, errors.New("slackfake: invalid_client_id")
	case q.Get("scope") == "" && q.Get("user_scope") == "":
		return nil, errors.New("slackfake: invalid_scope")
	case redirect == "" || len(p.opt.Redirects) > 0 && !slices.ContainsFunc(p.opt.Redirects, func(r string) bool { return strings.HasPrefix(redirect, r) }):
		return nil, errors.New("slackfake: bad_redirect_uri")
	}
	return q, nil
}

// serveAccess answers oauth.v2.access.
func (p *App) serveAccess(w http.ResponseWriter, r *http.Request, a args) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := Call{Method: "oauth.v2.access", Args: args{"grant_type": a["grant_type"]}, Status: http.StatusOK, At: p.opt.Now()}
	var out map[string]any
	fault := p.desk.fault(call.Method, "")
	if fault != nil && !fault.Done {
		call.Error = first(fault.Code, "fault")
		p.desk.record(call)
		answerFault(w, fault)
		return
	}
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = a["client_id"], a["client_secret"]
	}
	switch {
	case r.Method != http.MethodPost:
		call.Error = "invalid_post_type"
	case id != p.ClientID():
		call.Error = "invalid_client_id"
	case secret != p.ClientSecret():
		call.Error = "bad_client_secret"
	case a["grant_type"] == "refresh_token":
		out, call.Error = p.trade(p.refresh[a["refresh_token"]], "invalid_refresh_token", "")
	default:
		out, call.Error = p.trade(p.codes[a["code"]], "invalid_code", a["redirect_uri"])
	}
	p.desk.record(call)
	if fault != nil {
		answerFault(w, fault)
		return
	}
	if out == nil {
		out = map[string]any{"error": call.Error}
	}
	out["ok"] = call.Error == ""
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(mustJSON(out))
}

// trade turns a code or a refresh token, each good for once, into tokens.
func (p *App) trade(g *grant, missing, redirect string) (map[string]any, string) {
	switch {
	case g == nil:
		return nil, missing
	case g.used && missing == "invalid_code":
		return nil, "code_already_used"
	case g.used || g.refused != "":
		return nil, missing
	case missing == "invalid_code" && g.redirect != redirect:
		return nil, "bad_redirect_uri"
	case missing == "invalid_code" && p.opt.Now().Sub(g.born) > 10*time.Minute:
		return nil, "code_expired"
	}
	g.used = true
	given := *g
	given.used, given.born = false, p.opt.Now()
	token := p.desk.id("xoxb-" + strings.ToLower(first(g.team, g.enterprise)) + "-")
	out := map[string]any{
		"token_type": "bot", "scope": g.scope, "bot_user_id": "UBOT", "app_id": "AMARU", "is_enterprise_install": g.org,
		"team": nil, "enterprise": nil, "authed_user": map[string]any{"id": g.user},
	}
	if g.enterprise != "" {
		out["enterprise"] = map[string]any{"id": g.enterprise, "name": "Org " + g.enterprise}
	}
	if !g.org {
		out["team"] = map[string]any{"id": g.team, "name": "Team " + g.team}
	}
	if p.opt.TokenLife > 0 {
		token = p.desk.id("xoxe.xoxb-" + strings.ToLower(first(g.team, g.enterprise)) + "-")
		out["refresh_token"], out["expires_in"] = p.desk.id("xoxe-"), int(p.opt.TokenLife/time.Second)
		renewal := given
		p.refresh[out["refresh_token"].(string)] = &renewal //nolint:forcetypeassert // made a line above
	}
	out["access_token"] = token
	p.access[token] = &given
	return out, ""
}

// Uninstall removes the app from a workspace, as an admin does: it revokes the tokens and sends two events.
func (p *App) Uninstall(team string) {
	p.Kill(team, "account_inactive")
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.servers {
		if s.opt.Team == team {
			s.emitEvent(map[string]any{"type": "tokens_revoked", "tokens": map[string]any{"oauth": []string{}, "bot": []string{"UBOT"}}})
			s.emitEvent(map[string]any{"type": "app_uninstalled"})
		}
	}
}

// Withhold removes an organisation's app from one of its workspaces, or restores it, as an admin of the
// organisation does, with events.
func (p *App) Withhold(team string, away bool) {
	p.Grant(team, !away)
	p.mu.Lock()
	defer p.mu.Unlock()
	kind := map[bool]string{true: "team_access_revoked", false: "team_access_granted"}[away]
	for _, s := range p.servers {
		if s.opt.Team == team {
			s.emitEvent(map[string]any{"type": kind, "team_ids": []string{team}})
		}
	}
}

// Grant sets whether an organisation's app is in one of its workspaces, without events.
func (p *App) Grant(team string, granted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.servers {
		if s.opt.Team == team {
			s.withheld = !granted
		}
	}
}

// teamsPage limits the workspaces per page, to exercise paging.
const teamsPage = 2

// teamList answers auth.teams.list: the workspaces that the token's app has been
// approved for, by id.
func (s *Server) teamList(a args) (map[string]any, string) {
	teams := []string{s.opt.Team}
	if s.app != nil && s.opt.Org {
		teams = nil
		for _, o := range s.app.servers {
			if o.opt.Org && o.opt.Enterprise == s.opt.Enterprise && !o.withheld {
				teams = append(teams, o.opt.Team)
			}
		}
	}
	limit, start := teamsPage, 0
	if a["limit"] != "" {
		n, err := strconv.Atoi(a["limit"])
		if err != nil || n < 1 || n > 1000 {
			return nil, "invalid_limit"
		}
		limit = min(n, teamsPage)
	}
	if c := a["cursor"]; c != "" {
		n, err := strconv.Atoi(c)
		if err != nil || n < 1 || n > len(teams) {
			return nil, "invalid_cursor"
		}
		start = n
	}
	end, next, out := min(start+limit, len(teams)), "", []any{}
	if end < len(teams) {
		next = strconv.Itoa(end)
	}
	for _, id := range teams[start:end] {
		out = append(out, map[string]any{"id": id, "name": "Team " + id})
	}
	return map[string]any{"teams": out, "response_metadata": map[string]any{"next_cursor": next}}, ""
}

// Kill makes Slack reject a workspace's tokens with a code, without events.
func (p *App) Kill(team, code string) {
	p.wire.mu.Lock()
	defer p.wire.mu.Unlock()
	for _, g := range p.access {
		if g.team == team {
			g.refused = code
		}
	}
	for _, g := range p.refresh {
		if g.team == team && code != "token_expired" {
			g.refused = code
		}
	}
}

// Traded returns the codes and refresh tokens that were exchanged for tokens, with or without success.
func (p *App) Traded() (codes, refreshes []string) {
	for _, c := range p.desk.Calls("oauth.v2.access") {
		if c.Args["grant_type"] == "refresh_token" {
			refreshes = append(refreshes, first(c.Error, "ok"))
		} else {
			codes = append(codes, first(c.Error, "ok"))
		}
	}
	return codes, refreshes
}

// Fail adds a fault to the calls that are for no workspace, such as
// oauth.v2.access.
func (p *App) Fail(f Fault) { p.desk.Fail(f) }

// Heal removes the faults that Fail added.
func (p *App) Heal() { p.desk.Heal() }
