package slack

import (
	"context"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/web"
	"maru/bot"
)

// The agent experience of Slack: a greeting with prompts for who opens the app's
// own place, a title for each conversation there, and the session that shows
// that the bot is at work, with Slack's own button to stop it. Apps of the older
// assistant experience get the same in their threads. Where a workspace offers
// none of it, nothing is missing but the looks.

const (
	greetTime    = 20 * time.Second
	promptsFresh = 10 * time.Minute // prompts are not set again so soon
	maxTitle     = 200
	maxPrompt    = 75
)

// Codes of the states of an agent session.
const (
	sessionWorking = slack.AgentSessionStatusProcessing
	sessionWaiting = slack.AgentSessionStatusSuspended // for people
	sessionIdle    = slack.AgentSessionStatusActive
)

// opened greets a person who opened the app's messages tab.
func (a *Adapter) opened(in bot.Intake, team string, ev payload.Object) gateway.Result {
	greeter, ok := in.(bot.Greeter)
	if !ok || ev.Str("tab") != "messages" || ev.Str("channel") == "" {
		return gateway.Result{}
	}
	t := bot.Thread{Platform: Platform, Team: team, Channel: ev.Str("channel"), Direct: true}
	viewing := viewed(team, ev.Obj("context"))
	return gateway.Result{After: func(ctx context.Context) {
		a.greet(ctx, in, greeter, greetee{thread: t, viewing: viewing, user: ev.Str("user")})
	}}
}

// assisted greets a person who opened a thread of the older assistant.
func (a *Adapter) assisted(in bot.Intake, team string, ev payload.Object) gateway.Result {
	greeter, ok := in.(bot.Greeter)
	at := ev.Obj("assistant_thread")
	if !ok || at.Str("channel_id") == "" || at.Str("thread_ts") == "" {
		return gateway.Result{}
	}
	t := bot.Thread{Platform: Platform, Team: team, Channel: at.Str("channel_id"), ID: at.Str("thread_ts"), Direct: true}
	a.noteNew(t)
	viewing := bot.Thread{Platform: Platform, Team: team, Channel: at.Obj("context").Str("channel_id")}
	return gateway.Result{After: func(ctx context.Context) {
		a.greet(ctx, in, greeter, greetee{thread: t, viewing: viewing, user: at.Str("user_id")})
	}}
}

// viewed is the channel that a person looks at while they open the app.
func viewed(team string, context payload.Object) bot.Thread {
	for _, e := range context.List("entities") {
		if e.Str("type") == "slack#/types/channel_id" && e.Str("value") != "" {
			return bot.Thread{Platform: Platform, Team: team, Channel: e.Str("value")}
		}
	}
	return bot.Thread{}
}

// greetee is who is greeted, and where.
type greetee struct {
	thread, viewing bot.Thread
	user            string
}

// greet says hello once to each person (in the older assistant once a thread)
// and suggests what to ask.
func (a *Adapter) greet(ctx context.Context, in bot.Intake, greeter bot.Greeter, who greetee) {
	ctx, cancel := context.WithTimeout(ctx, greetTime)
	defer cancel()
	now := a.cfg.Now()
	key := who.thread.Channel + " " + who.thread.ID
	if at, ok := a.prompted.Get(key); ok && now.Sub(at) < promptsFresh {
		return
	}
	a.prompted.Add(key, now)
	g, err := greeter.Greet(ctx, who.thread, who.viewing, a.users.Get(ctx, who.user, a.web.NameWait()))
	if err != nil {
		a.log.WarnContext(ctx, "slack greeting", "err", err.Error())
		return
	}
	if a.firstTime(ctx, in, who) {
		if _, err := a.Post(ctx, bot.Target{Thread: who.thread}, g.Card, "hello-"+who.user+"-"+who.thread.ID); err != nil {
			a.log.WarnContext(ctx, "slack greeting was not delivered", "err", err.Error())
			return
		}
	}
	if err := a.suggest(ctx, who.thread, g); err != nil {
		a.log.DebugContext(ctx, "slack takes no prompts here", "code", web.Code(err))
	}
}

// firstTime reports whether a person has not been greeted before, and notes that
// they have. A note that cannot be kept is no reason to greet for ever.
func (a *Adapter) firstTime(ctx context.Context, in bot.Intake, who greetee) bool {
	notes := in.Notes()
	if who.thread.ID != "" || notes == nil {
		return who.thread.ID != ""
	}
	key := Platform + "/greeted/" + who.thread.Team + "/" + who.user
	was, err := notes.Note(ctx, key)
	if err != nil || was != "" {
		return false
	}
	return notes.SetNote(ctx, key, a.cfg.Now().UTC().Format(time.RFC3339)) == nil
}

// suggest sets the prompts. For the agent experience a thread must not be named.
func (a *Adapter) suggest(ctx context.Context, t bot.Thread, g bot.Greeting) error {
	p := slack.AssistantThreadsSetSuggestedPromptsParameters{Title: clip(oneLine(g.Title), maxPrompt), ChannelID: t.Channel, ThreadTS: t.ID}
	for _, pr := range g.Prompts[:min(len(g.Prompts), maxPrompts)] {
		p.AddPrompt(clip(oneLine(pr.Title), maxPrompt), clip(oneLine(pr.Message), maxPromptText))
	}
	if len(p.Prompts) == 0 {
		return nil
	}
	return a.web.Do(ctx, web.Job{Method: "assistant.threads.setSuggestedPrompts", Channel: t.Channel}, func(ctx context.Context) error {
		return a.web.API().SetAssistantThreadsSuggestedPromptsContext(ctx, p)
	})
}

// maxPromptText bounds what a prompt writes in a person's name.
const maxPromptText = 1000

// noteNew notes that a conversation has no title yet. Slack may tell of its
// beginning again when it has one.
func (a *Adapter) noteNew(t bot.Thread) {
	key := t.Channel + " " + t.ID
	if _, known := a.untitled.Get(key); !known {
		a.untitled.Add(key, true)
	}
}

// entitle gives a new conversation in the app's own place a title, once.
func (a *Adapter) entitle(ctx context.Context, to bot.Target) {
	key := to.Thread.Channel + " " + to.Thread.ID
	if untitled, _ := a.untitled.Get(key); !untitled || to.Title == "" || a.web.IsQuiet("title "+to.Thread.Channel) {
		return
	}
	a.untitled.Add(key, false)
	a.door.Spawn(ctx, greetTime, func(ctx context.Context) {
		err := a.web.Do(ctx, web.Job{Method: "assistant.threads.setTitle", Channel: to.Thread.Channel}, func(ctx context.Context) error {
			return a.web.API().SetAssistantThreadsTitleContext(ctx, slack.AssistantThreadsSetTitleParameters{
				ChannelID: to.Thread.Channel, ThreadTS: to.Thread.ID, Title: clip(oneLine(to.Title), maxTitle),
			})
		})
		a.web.Quieten(ctx, "title "+to.Thread.Channel, err)
	})
}

// session shows in what state the bot's work in a thread is. A stream says so
// itself, so this is for answers that are shown by edits, and for questions.
func (a *Adapter) session(ctx context.Context, th bot.Thread, user, state string) {
	key := th.Channel + " " + th.ID
	was, known := a.sessions.Get(key)
	if th.ID == "" || was == state || !known && state == sessionIdle || a.web.IsQuiet("session "+th.Channel) {
		return
	}
	a.sessions.Add(key, state)
	a.door.Spawn(ctx, gateway.FollowUp, func(ctx context.Context) {
		err := a.web.Do(ctx, web.Job{Method: "agents.sessions.setStatus", Channel: th.Channel, Urgent: state != sessionWorking}, func(ctx context.Context) error {
			r, err := a.web.API().SetAgentSessionStatusContext(ctx, slack.AgentSessionSetStatusParameters{
				Status: state, ChannelID: th.Channel, ThreadTS: th.ID, InitiatorUserID: user,
			})
			if err == nil && (r.Warning == withoutStop || slices.Contains(r.ResponseMetadata.Warnings, withoutStop)) {
				a.tellOfStop(ctx)
			}
			return err
		})
		if err != nil {
			a.sessions.Remove(key)
		}
		a.web.Quieten(ctx, "session "+th.Channel, err)
	})
}

// withoutStop warns that people see no button to stop a run.
const withoutStop = "missing_agent_session_stopped_event_subscription"

// tellOfStop tells an admin what the app lacks, not with every answer.
func (a *Adapter) tellOfStop(ctx context.Context) {
	if a.web.IsQuiet(withoutStop) {
		return
	}
	a.web.QuietFor(withoutStop, 24*time.Hour)
	a.log.WarnContext(ctx, "slack shows no stop button: subscribe the app to the event agent_session_stopped, as its manifest does")
}

// sessionOf is the state that a shown card means.
func sessionOf(c bot.Card) string {
	switch {
	case draft(c):
		return sessionWorking
	case !c.Final && len(c.Buttons) > 0:
		return sessionWaiting
	}
	return sessionIdle
}

// stopped carries out that a person pressed Slack's stop button: the run is
// cancelled, and its final card says so in place of what was streamed.
func (a *Adapter) stopped(ctx context.Context, in bot.Intake, team string, ev payload.Object) error {
	t := threadOf(team, ev.Str("channel"), payload.Object{"thread_ts": ev["thread_ts"]})
	if t.Channel == "" || t.ID == "" {
		return nil
	}
	a.sessions.Add(t.Channel+" "+t.ID, sessionWorking) // the app is to end that state
	_, err := in.Command(ctx, bot.Invocation{
		Name: "stop", Thread: t, User: a.users.Get(ctx, ev.Str("user"), a.web.NameWait()), ID: ev.Str("event_ts"), At: a.cfg.Now(),
	})
	if err == nil {
		a.session(ctx, t, "", sessionIdle)
	}
	return err
}
