package inbound

import (
	"context"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// events convert a workspace's events to messages, changes and greetings.
type events struct {
	web       *web.Client
	org       access
	users     persons
	signs     sessions
	messages  *messages
	greetings *greetings
	homes     *homes
}

// handleEvent dispatches an event of the Events API. Unused events are acknowledged too:
// otherwise Slack would retry them and finally disable the subscription.
func (e *events) handleEvent(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	if env.Body.Str("type") == "app_rate_limited" {
		e.web.Log.WarnContext(ctx, "slack rate-limits event delivery", "team", env.Body.Str("team_id"))
		return gateway.Result{}, nil
	}
	ev := env.Body.Obj("event")
	if payload.AccessChanges(ev) {
		return gateway.Result{}, e.org.AccessChanged(ctx, in, env.Body)
	}
	team, ok := e.web.Whoami().EventTeam(env.Body)
	if !ok {
		e.web.Log.WarnContext(ctx, "slack event for another workspace than the token's", "team", env.Body.Str("team_id"))
		return gateway.Result{}, nil
	}
	switch ev.Str("type") {
	case "message", "app_mention":
		return gateway.Result{}, e.messages.handleMessage(ctx, in, team, env.Body, ev)
	case "app_home_opened":
		if ev.Str("tab") == "home" {
			return e.homes.homeOpened(in, team, ev), nil
		}
		return e.greetings.opened(in, team, ev), nil
	case "assistant_thread_started":
		return e.greetings.assisted(in, team, ev), nil
	case "agent_session_stopped":
		return gateway.Result{}, e.handleStop(ctx, in, team, ev)
	case "tokens_revoked", "app_uninstalled":
		if payload.EndsBot(ev) {
			e.web.Revoked(ctx, ev.Str("type"))
		}
	}
	return gateway.Result{}, nil
}

// handleStop handles a press of Slack's stop button: it cancels the run, whose final card
// replaces the streamed text.
func (e *events) handleStop(ctx context.Context, in bot.Intake, team string, ev payload.Object) error {
	t := payload.Thread(team, ev.Str("channel"), payload.Object{"thread_ts": ev["thread_ts"]})
	if t.Channel == "" || t.ID == "" {
		return nil
	}
	e.signs.Working(t) // the app must end that state itself
	_, err := in.Command(ctx, bot.Invocation{
		Name: "stop", Thread: t, User: e.users.Get(ctx, ev.Str("user"), e.web.NameWait()), ID: ev.Str("event_ts"), At: e.web.Now(),
		Before: bot.Bound{Order: ev.Str("event_ts"), At: payload.Time(ev.Str("event_ts"))},
	})
	if err == nil {
		e.signs.Idle(ctx, t)
	}
	return err
}
