package install

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"time"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// Router resolves the workspace of a delivery.
type Router struct {
	cfg   Config
	reg   *Registry
	notes func() bot.Notes // nil before the app runs

	triggers *cache.Cache[string, Site]    // which workspace an interaction is of
	shared   *cache.Cache[string, string]  // by thread of a channel of several workspaces: whose it is
	inside   *cache.Cache[string, insight] // by workspace and channel: whether the bot sees it
}

// NewRouter resolves workspaces with reg, and stores the owners of shared threads in notes.
func NewRouter(c Config, reg *Registry, notes func() bot.Notes) *Router {
	return &Router{
		cfg: c, reg: reg, notes: notes, triggers: cache.New[string, Site](4096),
		shared: cache.New[string, string](4096), inside: cache.New[string, insight](4096),
	}
}

// Deliver passes an envelope to its workspace.
func (q *Router) Deliver(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	ev := env.Body.Obj("event")
	switch {
	case env.Kind == gateway.Event && env.Body.Str("type") == "app_rate_limited":
		q.cfg.Log.WarnContext(ctx, "slack rate-limits event delivery", "team", env.Body.Str("team_id"))
		return gateway.Result{}, nil
	case env.Kind == gateway.Event && ev.Str("type") == "app_uninstalled":
		return gateway.Result{}, q.handleUninstall(ctx, in, env.Body, "app_uninstalled")
	case env.Kind == gateway.Event && ev.Str("type") == "tokens_revoked":
		return gateway.Result{}, q.handleUninstall(ctx, in, env.Body, "tokens_revoked")
	case env.Kind == gateway.Event && payload.AccessChanges(ev):
		return gateway.Result{}, q.accessChanged(ctx, in, env.Body)
	case env.Kind == gateway.Other:
		return gateway.Result{}, nil
	}
	a, body, err := q.recipient(ctx, in, env)
	if err != nil {
		return gateway.Result{}, err
	}
	if a == nil {
		q.cfg.Log.WarnContext(ctx, "slack event of a workspace that has not installed the app", "kind", string(env.Kind), "team", env.Body.Str("team_id"))
		return gateway.Result{}, nil
	}
	env.Body = body
	if trigger := env.Body.Str("trigger_id"); trigger != "" {
		q.triggers.Add(trigger, a)
	}
	return a.Take(ctx, in, env)
}

// ByTrigger returns the workspace of an interaction.
func (q *Router) ByTrigger(trigger string) (Site, bool) { return q.triggers.Get(trigger) }

// recipient resolves an envelope's site and returns the body in that site's terms. The
// delivery identifies the installation, never people's text.
func (q *Router) recipient(ctx context.Context, in bot.Intake, env gateway.Envelope) (a Site, body payload.Object, err error) {
	body = env.Body
	if env.Kind == gateway.Event {
		a, body, err = q.eventFor(ctx, body)
	} else {
		a, err = q.interactionFor(ctx, body)
	}
	if a == nil || err != nil || !a.Client().Whoami().Org {
		return a, body, err
	}
	team, _ := a.Client().Whoami().EventTeam(body)
	covers, err := q.reg.covers(ctx, in, a, team, payload.Happened(body))
	if !covers || err != nil {
		return nil, body, err
	}
	return a, body, nil
}

// eventFor resolves the installation that received an event: the first of its authorizations,
// and in a channel shared by several workspaces the one addressed.
func (q *Router) eventFor(ctx context.Context, body payload.Object) (Site, payload.Object, error) {
	team, enterprise := cmp.Or(body.Str("context_team_id"), body.Str("team_id")), cmp.Or(body.Str("context_enterprise_id"), body.Str("enterprise_id"))
	if granted := body.List("authorizations"); len(granted) > 0 {
		au := granted[0]
		team, enterprise = au.Str("team_id"), au.Str("enterprise_id")
		if au.Flag("is_enterprise_install") {
			team = "" // the organisation serves all its workspaces
		}
	}
	a, err := q.reg.serving(ctx, team, enterprise)
	if err != nil || a == nil || !body.Flag("is_ext_shared_channel") {
		return a, body, err
	}
	other, err := q.spokenTo(ctx, a, body.Obj("event"))
	if err != nil || other == a {
		return a, body, err
	}
	id := other.Client().Whoami()
	body = maps.Clone(body)
	body["authorizations"] = payload.ListOf(payload.Object{"team_id": payload.Quote(id.Team), "enterprise_id": payload.Quote(id.Enterprise)})
	delete(body, "context_team_id")
	return other, body, nil
}

// interactionFor resolves the installation of a click, form or command: the one that showed
// it, whatever the person's workspace.
func (q *Router) interactionFor(ctx context.Context, body payload.Object) (Site, error) {
	msg, view := body.Obj("message"), body.Obj("view")
	enterprise := cmp.Or(body.Obj("enterprise").Str("id"), body.Str("enterprise_id"))
	for _, team := range []string{
		view.Str("app_installed_team_id"), msg.Obj("bot_profile").Str("team_id"), msg.Str("team"),
		body.Obj("team").Str("id"), body.Str("team_id"), body.Obj("user").Str("team_id"),
	} {
		if team == "" {
			continue
		}
		a, err := q.reg.serving(ctx, team, "")
		if a != nil || err != nil {
			return a, err
		}
	}
	return q.reg.serving(ctx, "", enterprise)
}

// insight caches whether a workspace's bot can see a channel.
type insight struct {
	sees bool
	at   time.Time
}

// insightFresh is the maximum age of an insight.
const insightFresh = 10 * time.Minute

// spokenTo returns the addressee of a message in a shared channel: the bot that it mentions,
// else the owner of its thread, else a. Slack delivers such a message once, for any of the
// installations that see it.
func (q *Router) spokenTo(ctx context.Context, a Site, ev payload.Object) (Site, error) {
	now := ev
	if m := ev.Obj("message"); m != nil {
		now = m
	}
	channel, ts := ev.Str("channel"), cmp.Or(now.Str("thread_ts"), now.Str("ts"), ev.Str("deleted_ts"))
	if channel == "" || ts == "" || ev.Str("type") != "message" && ev.Str("type") != "app_mention" {
		return a, nil
	}
	text := now.Str("text")
	if id := a.Client().Whoami(); id != nil && payload.Mentions(text, id.User) {
		return a, q.noteShared(ctx, channel, ts, id.Team)
	}
	for _, other := range q.reg.mentioned(text) {
		sees, err := q.sees(ctx, other, channel)
		if err != nil {
			return nil, err
		}
		if sees {
			return other, q.noteShared(ctx, channel, ts, other.Client().Whoami().Team)
		}
	}
	team, err := q.sharedWith(ctx, channel, ts)
	if err != nil || team == "" {
		return a, err
	}
	other, err := q.reg.serving(ctx, team, "")
	if err != nil || other == nil {
		return a, err
	}
	return other, nil
}

// sees reports whether a workspace's bot can see a channel. People can mention any bot, but
// only a present one may answer.
func (q *Router) sees(ctx context.Context, a Site, channel string) (bool, error) {
	key := a.Client().Whoami().Team + " " + channel
	if known, ok := q.inside.Get(key); ok && q.cfg.Now().Sub(known.at) < insightFresh {
		return known.sees, nil
	}
	var r struct {
		Channel payload.Object `json:"channel"`
	}
	err := a.Client().Call(ctx, "conversations.info", url.Values{"channel": {channel}}, &r)
	if err != nil && web.Code(err) == "" {
		return false, err
	}
	sees := err == nil && r.Channel.Flag("is_member")
	q.inside.Add(key, insight{sees: sees, at: q.cfg.Now()})
	return sees, nil
}

// noteShared records the workspace that owns a thread of a shared channel, for later messages
// without a mention.
func (q *Router) noteShared(ctx context.Context, channel, ts, team string) error {
	key := sharedNote(channel, ts)
	if known, ok := q.shared.Get(key); ok && known == team {
		return nil
	}
	if notes := q.notes(); notes != nil {
		if err := notes.SetNote(ctx, key, team); err != nil {
			return err
		}
	}
	q.shared.Add(key, team)
	return nil
}

// sharedWith returns the workspace that owns a thread of a shared channel, "" for none.
func (q *Router) sharedWith(ctx context.Context, channel, ts string) (string, error) {
	key := sharedNote(channel, ts)
	if team, ok := q.shared.Get(key); ok {
		return team, nil
	}
	notes := q.notes()
	if notes == nil {
		return "", nil
	}
	team, err := notes.Note(ctx, key)
	if err == nil && team != "" {
		q.shared.Add(key, team)
	}
	return team, err
}

func sharedNote(channel, ts string) string { return payload.Platform + "/shared/" + channel + "/" + ts }

// handleUninstall ends the data of a workspace that uninstalled the app. Slack announces it with two
// events in any order, possibly late: events older than a reinstallation are ignored.
func (q *Router) handleUninstall(ctx context.Context, in bot.Intake, body payload.Object, why string) error {
	if !payload.EndsBot(body.Obj("event")) {
		return nil
	}
	team := body.Str("team_id")
	for _, au := range body.List("authorizations") {
		if au.Flag("is_enterprise_install") {
			team = au.Str("enterprise_id")
		}
	}
	if q.reg.revokedFixed(ctx, team, why) {
		return nil
	}
	row, err := q.cfg.Installations.Installation(ctx, payload.Platform, team)
	if err != nil {
		return ignoreMissing(err)
	}
	if at := payload.Happened(body); !at.IsZero() && at.Unix() < row.Installed.Unix() {
		q.cfg.Log.InfoContext(ctx, "slack uninstallation ignored: it is older than this installation", "team", team, "event", why)
		return nil
	}
	tenants, ok := in.(bot.Tenants)
	if !ok {
		return nil
	}
	if err := tenants.Leave(ctx, bot.Departure{Platform: payload.Platform, Team: team, Why: why}); err != nil {
		return err
	}
	q.reg.drop(team)
	q.cfg.Log.WarnContext(ctx, "slack workspace uninstalled the app", "team", team, "name", row.Name, "event", why)
	return nil
}
