package inbound

import (
	"context"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// events turn what happens in a workspace into messages, changes and greetings.
type events struct {
	web       *web.Client
	org       access
	users     persons
	signs     sessions
	messages  *messages
	greetings *greetings
	homes     *homes
}

// handleEvent sorts an event of the Events API. What the bot has no use for is
// acknowledged like the rest, or Slack would send it again and in the end none.
func (e *events) handleEvent(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	if env.Body.Str("type") == "app_rate_limited" {
		e.web.Log.WarnContext(ctx, "slack limits the events it sends", "team", env.Body.Str("team_id"))
		return gateway.Result{}, nil
	}
	if payload.AccessChanges(env.Body) {
		return gateway.Result{}, e.org.AccessChanged(ctx, in, env.Body)
	}
	team, ok := e.web.Whoami().EventTeam(env.Body)
	if !ok {
		e.web.Log.WarnContext(ctx, "slack event of a workspace that this token is not for", "team", env.Body.Str("team_id"))
		return gateway.Result{}, nil
	}
	ev := env.Body.Obj("event")
	switch ev.Str("type") {
	case "message", "app_mention":
		return gateway.Result{}, e.messages.handleMessage(ctx, in, team, env.Body)
	case "app_home_opened":
		if ev.Str("tab") == "home" {
			return e.homes.homeOpened(in, team, ev), nil
		}
		return e.greetings.opened(in, team, ev), nil
	case "assistant_thread_started":
		return e.greetings.assisted(in, team, ev), nil
	case "agent_session_stopped":
		return gateway.Result{}, e.stopped(ctx, in, team, ev)
	case "tokens_revoked", "app_uninstalled":
		if payload.EndsBot(ev) {
			e.web.Revoked(ctx, ev.Str("type"))
		}
	}
	return gateway.Result{}, nil
}

// stopped carries out that a person pressed Slack's stop button: the run is
// cancelled, and its final card says so in place of what was streamed.
func (e *events) stopped(ctx context.Context, in bot.Intake, team string, ev payload.Object) error {
	t := payload.Thread(team, ev.Str("channel"), payload.Object{"thread_ts": ev["thread_ts"]})
	if t.Channel == "" || t.ID == "" {
		return nil
	}
	e.signs.Working(t) // the app is to end that state
	_, err := in.Command(ctx, bot.Invocation{
		Name: "stop", Thread: t, User: e.users.Get(ctx, ev.Str("user"), e.web.NameWait()), ID: ev.Str("event_ts"), At: e.web.Now(),
	})
	if err == nil {
		e.signs.Idle(ctx, t)
	}
	return err
}
