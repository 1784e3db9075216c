package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// envelopeKind says what an envelope carries.
type envelopeKind string

const (
	kindEvent       envelopeKind = "event"
	kindInteraction envelopeKind = "interaction"
	kindCommand     envelopeKind = "command"
	kindChallenge   envelopeKind = "challenge"
	kindOther       envelopeKind = "other"
)

// envelope is one delivery, whichever way it came.
type envelope struct {
	id    string // for logs
	kind  envelopeKind
	body  payload.Object
	retry int
}

// lane names what must stay in order: the channel.
func (e envelope) lane() string {
	ev := e.body.Obj("event")
	return cmp.Or(ev.Str("channel"), e.body.Obj("channel").Str("id"), e.body.Str("channel_id"), e.id)
}

// result is what follows from an envelope: the body of its acknowledgement, and
// what is done once that has left.
type result struct {
	ack   json.RawMessage
	after func(context.Context)
}

// errForeignApp refuses a delivery that is signed but meant for another app.
var errForeignApp = errors.New("slack: the event is for another app")

const (
	commitTime  = 2500 * time.Millisecond // Slack waits three seconds
	commitFirst = 100 * time.Millisecond
	lateCommit  = 10 * time.Second // for what was not committed while Slack waited
	followUp    = 30 * time.Second
)

// handle commits what an envelope carries. An error means that it was not.
func (a *Adapter) handle(ctx context.Context, in bot.Intake, env envelope) (result, error) {
	switch env.kind {
	case kindEvent:
		return a.handleEvent(ctx, in, env)
	case kindInteraction:
		return a.handleInteraction(ctx, in, env)
	case kindCommand:
		return a.handleCommand(ctx, in, env)
	}
	return result{}, nil
}

// handleEvent sorts an event of the Events API. What the bot has no use for is
// acknowledged like the rest, or Slack would send it again and in the end none.
func (a *Adapter) handleEvent(ctx context.Context, in bot.Intake, env envelope) (result, error) {
	if env.body.Str("type") == "app_rate_limited" {
		a.log.WarnContext(ctx, "slack limits the events it sends", "team", env.body.Str("team_id"))
		return result{}, nil
	}
	if payload.AccessChanges(env.body) {
		return result{}, a.accessChanged(ctx, in, env.body)
	}
	team, ok := a.web.Whoami().EventTeam(env.body)
	if !ok {
		a.log.WarnContext(ctx, "slack event of a workspace that this token is not for", "team", env.body.Str("team_id"))
		return result{}, nil
	}
	ev := env.body.Obj("event")
	switch ev.Str("type") {
	case "message", "app_mention":
		return result{}, a.handleMessage(ctx, in, team, env.body)
	case "app_home_opened":
		if ev.Str("tab") == "home" {
			return a.homeOpened(in, team, ev), nil
		}
		return a.opened(in, team, ev), nil
	case "assistant_thread_started":
		return a.assisted(in, team, ev), nil
	case "agent_session_stopped":
		return result{}, a.stopped(ctx, in, team, ev)
	case "tokens_revoked", "app_uninstalled":
		if payload.EndsBot(ev) {
			a.web.Revoked(ctx, ev.Str("type"))
		}
	}
	return result{}, nil
}
