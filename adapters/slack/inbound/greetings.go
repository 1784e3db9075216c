package inbound

import (
	"context"
	"maru/adapters/lanes/cache"
	"time"

	"github.com/slack-go/slack"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/bot"
)

// Slack's agent experience: a greeting with prompts for a person who opens the app, a title
// for each conversation there, and a session status with Slack's stop button. Apps of the
// older assistant experience get the same in their threads. Workspaces without either lose
// only the appearance.

const (
	greetTime    = 20 * time.Second
	promptsFresh = 10 * time.Minute // minimum interval between two settings of the prompts
	maxPrompt    = 75
)

// greetings handles people who open the app: it greets them and suggests prompts.
type greetings struct {
	web      *web.Client
	users    persons
	writer   poster
	signs    titles
	prompted *cache.Cache[string, time.Time] // where prompts were set
}

// opened greets a person who opens the app's messages tab.
func (gr *greetings) opened(in bot.Intake, team string, ev payload.Object) gateway.Result {
	greeter, ok := in.(bot.Greeter)
	if !ok || ev.Str("tab") != "messages" || ev.Str("channel") == "" {
		return gateway.Result{}
	}
	t := bot.Thread{Platform: payload.Platform, Team: team, Channel: ev.Str("channel"), Direct: true}
	viewing := viewed(team, ev.Obj("context"))
	return gateway.Result{After: func(ctx context.Context) {
		gr.greet(ctx, in, greeter, greetee{thread: t, viewing: viewing, user: ev.Str("user")})
	}}
}

// assisted greets a person who opens a thread of the older assistant.
func (gr *greetings) assisted(in bot.Intake, team string, ev payload.Object) gateway.Result {
	greeter, ok := in.(bot.Greeter)
	at := ev.Obj("assistant_thread")
	if !ok || at.Str("channel_id") == "" || at.Str("thread_ts") == "" {
		return gateway.Result{}
	}
	t := bot.Thread{Platform: payload.Platform, Team: team, Channel: at.Str("channel_id"), ID: at.Str("thread_ts"), Direct: true}
	gr.signs.NoteNew(t)
	viewing := bot.Thread{Platform: payload.Platform, Team: team, Channel: at.Obj("context").Str("channel_id")}
	return gateway.Result{After: func(ctx context.Context) {
		gr.greet(ctx, in, greeter, greetee{thread: t, viewing: viewing, user: at.Str("user_id")})
	}}
}

// viewed returns the channel that a person sees beside the open app.
func viewed(team string, context payload.Object) bot.Thread {
	for _, e := range context.List("entities") {
		if e.Str("type") == "slack#/types/channel_id" && e.Str("value") != "" {
			return bot.Thread{Platform: payload.Platform, Team: team, Channel: e.Str("value")}
		}
	}
	return bot.Thread{}
}

// greetee is the person to greet, and the place.
type greetee struct {
	thread, viewing bot.Thread
	user            string
}

// greet greets each person once (in the older assistant once a thread) and suggests prompts.
func (gr *greetings) greet(ctx context.Context, in bot.Intake, greeter bot.Greeter, who greetee) {
	ctx, cancel := context.WithTimeout(ctx, greetTime)
	defer cancel()
	now := gr.web.Now()
	key := who.thread.Channel + " " + who.thread.ID
	if at, ok := gr.prompted.Get(key); ok && now.Sub(at) < promptsFresh {
		return
	}
	gr.prompted.Add(key, now)
	g, err := greeter.Greet(ctx, who.thread, who.viewing, gr.users.Get(ctx, who.user, gr.web.NameWait()))
	if err != nil {
		gr.web.Log.WarnContext(ctx, "slack greeting", "err", err.Error())
		return
	}
	if gr.firstTime(ctx, in, who) {
		if _, err := gr.writer.Post(ctx, bot.Target{Thread: who.thread}, g.Card, "hello-"+who.user+"-"+who.thread.ID); err != nil {
			gr.web.Log.WarnContext(ctx, "slack greeting was not delivered", "err", err.Error())
			return
		}
	}
	if err := gr.suggest(ctx, who.thread, g); err != nil {
		gr.web.Log.DebugContext(ctx, "slack prompts not set", "code", web.Code(err))
	}
}

// firstTime reports whether a person has never been greeted, and records that they now are.
// If the note cannot be stored, nobody is greeted: better none than at every opening.
func (gr *greetings) firstTime(ctx context.Context, in bot.Intake, who greetee) bool {
	notes := in.Notes()
	if who.thread.ID != "" || notes == nil {
		return who.thread.ID != ""
	}
	key := payload.Platform + "/greeted/" + who.thread.Team + "/" + who.user
	was, err := notes.Note(ctx, key)
	if err != nil || was != "" {
		return false
	}
	return notes.SetNote(ctx, key, gr.web.Now().UTC().Format(time.RFC3339)) == nil
}

// suggest sets the prompts. The agent experience takes no thread.
func (gr *greetings) suggest(ctx context.Context, t bot.Thread, g bot.Greeting) error {
	p := slack.AssistantThreadsSetSuggestedPromptsParameters{Title: render.Clip(render.OneLine(g.Title), maxPrompt), ChannelID: t.Channel, ThreadTS: t.ID}
	for _, pr := range g.Prompts[:min(len(g.Prompts), render.MaxPrompts)] {
		p.AddPrompt(render.Clip(render.OneLine(pr.Title), maxPrompt), render.Clip(render.OneLine(pr.Message), maxPromptText))
	}
	if len(p.Prompts) == 0 {
		return nil
	}
	return gr.web.Do(ctx, web.Job{Method: "assistant.threads.setSuggestedPrompts", Channel: t.Channel}, func(ctx context.Context) error {
		return gr.web.API().SetAssistantThreadsSuggestedPromptsContext(ctx, p)
	})
}

// maxPromptText bounds the text that a prompt sends in a person's name.
const maxPromptText = 1000
