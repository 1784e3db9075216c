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

// The agent experience of Slack: a greeting with prompts for who opens the app's
// own place, a title for each conversation there, and the session that shows
// that the bot is at work, with Slack's own button to stop it. Apps of the older
// assistant experience get the same in their threads. Where a workspace offers
// none of it, nothing is missing but the looks.

const (
	greetTime    = 20 * time.Second
	promptsFresh = 10 * time.Minute // prompts are not set again so soon
	maxPrompt    = 75
)

// greetings say hello to who opens the app's own place, and suggest what to ask.
type greetings struct {
	web      *web.Client
	users    persons
	writer   poster
	signs    titles
	prompted *cache.Cache[string, time.Time] // where prompts were set
}

// opened greets a person who opened the app's messages tab.
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

// assisted greets a person who opened a thread of the older assistant.
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

// viewed is the channel that a person looks at while they open the app.
func viewed(team string, context payload.Object) bot.Thread {
	for _, e := range context.List("entities") {
		if e.Str("type") == "slack#/types/channel_id" && e.Str("value") != "" {
			return bot.Thread{Platform: payload.Platform, Team: team, Channel: e.Str("value")}
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
		gr.web.Log.DebugContext(ctx, "slack takes no prompts here", "code", web.Code(err))
	}
}

// firstTime reports whether a person has not been greeted before, and notes that
// they have. A note that cannot be kept is no reason to greet for ever.
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

// suggest sets the prompts. For the agent experience a thread must not be named.
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

// maxPromptText bounds what a prompt writes in a person's name.
const maxPromptText = 1000
