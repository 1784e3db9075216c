package web

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// Identity identifies the bot in its workspace.
type Identity struct {
	User, Bot, Team, Enterprise, Name string
	Space                             string // the workspace's name, "" if unknown
	Org                               bool   // installed for a whole organisation
}

// Whoami returns the bot's identity, nil while it is unknown.
func (w *Client) Whoami() *Identity {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ident
}

// Identify calls auth.test until it succeeds; only a refused token is an error.
func (w *Client) Identify(ctx context.Context) error {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		_, err := w.AskWho(ctx)
		if err == nil {
			return nil
		}
		if TokenRefused(err) {
			return &Refused{Code: Code(err), By: w.keeper != nil, Err: err}
		}
		w.Log.WarnContext(ctx, "slack does not answer, retrying", "method", "auth.test", "err", err.Error(), "wait", pause.String())
		if err := w.Wait(ctx, max(pause, RetryAfter(err))); err != nil {
			return err
		}
	}
}

// AskWho returns the identity, from Slack if it is unknown.
func (w *Client) AskWho(ctx context.Context) (*Identity, error) {
	if id := w.Whoami(); id != nil {
		return id, nil
	}
	var r struct {
		Team         string `json:"team"`
		TeamID       string `json:"team_id"`
		UserID       string `json:"user_id"`
		BotID        string `json:"bot_id"`
		User         string `json:"user"`
		EnterpriseID string `json:"enterprise_id"`
		Org          bool   `json:"is_enterprise_install"`
	}
	if err := w.Call(ctx, MethodWho, nil, &r); err != nil {
		return nil, err
	}
	if w.LearnApp != nil {
		w.learnApp(ctx, r.BotID)
	}
	id := &Identity{User: r.UserID, Bot: r.BotID, Team: r.TeamID, Enterprise: r.EnterpriseID, Name: r.User, Space: r.Team, Org: r.Org}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ident == nil {
		w.ident = id
	}
	return w.ident, nil
}

// learnApp looks up the bot's app. It stays unknown if the token lacks the scope or Slack
// times out.
func (w *Client) learnApp(ctx context.Context, bot string) {
	ctx, cancel := context.WithTimeout(ctx, w.NameWait())
	defer cancel()
	var r struct {
		Bot struct {
			App string `json:"app_id"`
		} `json:"bot"`
	}
	if err := w.Call(ctx, "bots.info", url.Values{"bot": {bot}}, &r); err != nil {
		w.Log.DebugContext(ctx, "slack app ID lookup failed", "err", err.Error())
		return
	}
	if strings.HasPrefix(r.Bot.App, "A") {
		w.LearnApp(r.Bot.App)
	}
}

// Introduce sets the identity from a row of the record.
func (w *Client) Introduce(row bot.Installation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ident = &Identity{User: row.BotUser, Team: row.Team, Enterprise: row.Enterprise, Name: "maru", Org: row.Org}
	w.fatal = nil
}

// Revoked records that the workspace uninstalled the app.
func (w *Client) Revoked(ctx context.Context, why string) {
	w.Log.ErrorContext(ctx, "slack revoked the app's access", "event", why)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fatal = fmt.Errorf("slack: %s: install the app again", why)
}

// Ended returns an error after the workspace uninstalled the app.
func (w *Client) Ended() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fatal
}

// EventTeam returns the workspace of an event; false if it is not this token's. A bot token
// serves one workspace, whatever the workspace of the author in a shared channel; only an
// organisation-wide installation takes the ID from the delivery.
func (id *Identity) EventTeam(body payload.Object) (string, bool) {
	if id == nil {
		return "", false
	}
	var installed []string
	for _, au := range body.List("authorizations") {
		installed = append(installed, au.Str("team_id"))
	}
	if id.Org {
		granted := ""
		if len(installed) > 0 {
			granted = installed[0]
		}
		t := cmp.Or(granted, body.Str("context_team_id"), body.Str("team_id"), body.Obj("team").Str("id"), body.Obj("user").Str("team_id"), id.Team)
		return t, true
	}
	if len(installed) > 0 && !slices.Contains(installed, id.Team) {
		return "", false
	}
	outer := cmp.Or(body.Str("context_team_id"), body.Str("team_id"))
	shared := body.Flag("is_ext_shared_channel") || len(installed) > 0
	return id.Team, outer == "" || outer == id.Team || shared || outer == id.Enterprise
}

// ClickTeam returns the workspace of a click. A person of another workspace may click in a
// shared channel; the token still serves its own.
func (id *Identity) ClickTeam(body payload.Object) (string, bool) {
	if id == nil {
		return "", false
	}
	if !id.Org {
		return id.Team, true
	}
	return cmp.Or(body.Obj("team").Str("id"), body.Obj("user").Str("team_id"), id.Team), true
}
