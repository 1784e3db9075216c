package slack

import (
	"context"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/bot"
)

// Take commits what an envelope carries. An error means that it was not.
func (a *Adapter) Take(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	switch env.Kind {
	case gateway.Event:
		return a.handleEvent(ctx, in, env)
	case gateway.Interaction:
		return a.handleInteraction(ctx, in, env)
	case gateway.Command:
		return a.handleCommand(ctx, in, env)
	}
	return gateway.Result{}, nil
}

// handleEvent sorts an event of the Events API. What the bot has no use for is
// acknowledged like the rest, or Slack would send it again and in the end none.
func (a *Adapter) handleEvent(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error) {
	if env.Body.Str("type") == "app_rate_limited" {
		a.log.WarnContext(ctx, "slack limits the events it sends", "team", env.Body.Str("team_id"))
		return gateway.Result{}, nil
	}
	if payload.AccessChanges(env.Body) {
		return gateway.Result{}, a.org.AccessChanged(ctx, in, env.Body)
	}
	team, ok := a.web.Whoami().EventTeam(env.Body)
	if !ok {
		a.log.WarnContext(ctx, "slack event of a workspace that this token is not for", "team", env.Body.Str("team_id"))
		return gateway.Result{}, nil
	}
	ev := env.Body.Obj("event")
	switch ev.Str("type") {
	case "message", "app_mention":
		return gateway.Result{}, a.handleMessage(ctx, in, team, env.Body)
	case "app_home_opened":
		if ev.Str("tab") == "home" {
			return a.homeOpened(in, team, ev), nil
		}
		return a.opened(in, team, ev), nil
	case "assistant_thread_started":
		return a.assisted(in, team, ev), nil
	case "agent_session_stopped":
		return gateway.Result{}, a.stopped(ctx, in, team, ev)
	case "tokens_revoked", "app_uninstalled":
		if payload.EndsBot(ev) {
			a.web.Revoked(ctx, ev.Str("type"))
		}
	}
	return gateway.Result{}, nil
}
