package reply

import (
	"context"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
)

const (
	titleTime = 20 * time.Second
	stateTime = 30 * time.Second // bounds a status call
	maxTitle  = 200
)

// States of an agent session.
const (
	sessionWorking = slack.AgentSessionStatusProcessing
	sessionWaiting = slack.AgentSessionStatusSuspended // for a person's answer
	sessionIdle    = slack.AgentSessionStatusActive
)

// NoteNew records that a conversation has no title yet. Slack may redeliver its first event
// after it got one.
func (g *Signs) NoteNew(t bot.Thread) {
	key := t.Channel + " " + t.ID
	if _, known := g.untitled.Get(key); !known {
		g.untitled.Add(key, true)
	}
}

// setTitle sets the title of a new conversation in the app's own place, once.
func (g *Signs) setTitle(ctx context.Context, to bot.Target) {
	key := to.Thread.Channel + " " + to.Thread.ID
	if untitled, _ := g.untitled.Get(key); !untitled || to.Title == "" || g.web.IsQuiet("title "+to.Thread.Channel) {
		return
	}
	g.untitled.Add(key, false)
	g.spawn(ctx, titleTime, func(ctx context.Context) {
		err := g.web.Do(ctx, web.Job{Method: "assistant.threads.setTitle", Channel: to.Thread.Channel}, func(ctx context.Context) error {
			return g.web.API().SetAssistantThreadsTitleContext(ctx, slack.AssistantThreadsSetTitleParameters{
				ChannelID: to.Thread.Channel, ThreadTS: to.Thread.ID, Title: render.Clip(render.OneLine(to.Title), maxTitle),
			})
		})
		g.web.Quieten(ctx, "title "+to.Thread.Channel, err)
	})
}

// session sets the status of a thread for questions and for answers that grow by edits; a stream shows its own. user is the
// member of the channel who may stop the run, "" for nobody.
func (g *Signs) session(ctx context.Context, th bot.Thread, user, state string) {
	key := th.Channel + " " + th.ID
	was, known := g.sessions.Get(key)
	if th.ID == "" || was == state || !known && state == sessionIdle || g.web.IsQuiet("session "+th.Channel) {
		return
	}
	g.sessions.Add(key, state)
	g.spawn(ctx, stateTime, func(ctx context.Context) {
		err := g.web.Do(ctx, web.Job{Method: "agents.sessions.setStatus", Channel: th.Channel, Urgent: state != sessionWorking}, func(ctx context.Context) error {
			r, err := g.web.API().SetAgentSessionStatusContext(ctx, slack.AgentSessionSetStatusParameters{
				Status: state, ChannelID: th.Channel, ThreadTS: th.ID, InitiatorUserID: user,
			})
			if err == nil && (r.Warning == withoutStop || slices.Contains(r.ResponseMetadata.Warnings, withoutStop)) {
				g.warnNoStop(ctx)
			}
			return err
		})
		if err != nil {
			g.sessions.Remove(key)
		}
		g.web.Quieten(ctx, "session "+th.Channel, err)
	})
}

// stopper returns u's ID, or "" if u is an app: Slack lets only members of the channel stop a run.
func stopper(u bot.User) string {
	if u.Bot {
		return ""
	}
	return u.ID
}

// withoutStop is Slack's warning that people see no stop button.
const withoutStop = "missing_agent_session_stopped_event_subscription"

// warnNoStop tells an admin which subscription the app lacks, rate-limited.
func (g *Signs) warnNoStop(ctx context.Context) {
	if g.web.IsQuiet(withoutStop) {
		return
	}
	g.web.QuietFor(withoutStop, 24*time.Hour)
	g.web.Log.WarnContext(ctx, "slack shows no stop button: subscribe the app to the event agent_session_stopped, as its manifest does")
}

// sessionOf returns the session state for a shown card.
func sessionOf(c bot.Card) string {
	switch {
	case draft(c):
		return sessionWorking
	case !c.Final && len(c.Buttons) > 0:
		return sessionWaiting
	}
	return sessionIdle
}

// Working records that Slack shows a thread's session as working.
func (g *Signs) Working(th bot.Thread) { g.sessions.Add(th.Channel+" "+th.ID, sessionWorking) }

// Idle sets a thread's session to idle.
func (g *Signs) Idle(ctx context.Context, th bot.Thread) { g.session(ctx, th, "", sessionIdle) }
