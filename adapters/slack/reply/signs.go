package reply

import (
	"context"

	"github.com/slack-go/slack"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/render"
	"maru/adapters/slack/web"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

// Signs show that the bot is working: a status, reactions on messages, titles of
// conversations and the state of agent sessions. They are cosmetic: a workspace may support
// none of them.
type Signs struct {
	web     *web.Client
	spawn   workspace.Spawn
	streams *streams // a stream shows its own status

	untitled *cache.Cache[string, bool]   // conversations of the app's own place: whether they want a title
	sessions *cache.Cache[string, string] // states of agent sessions
}

func newSigns(w *web.Client, spawn workspace.Spawn, s *streams) *Signs {
	return &Signs{web: w, spawn: spawn, streams: s, untitled: cache.New[string, bool](1024), sessions: cache.New[string, string](4096)}
}

// status sets the status under the bot's name in a thread. Where Slack supports none (outside
// threads, in apps without the feature) it does nothing: the reply itself shows progress.
func (g *Signs) status(ctx context.Context, to bot.Target, text string) error {
	th := to.Thread
	if th.ID == "" || th.Channel == "" || text != "" && g.streams.in(th.Channel, th.ID) {
		return nil // a stream shows its own status
	}
	g.setTitle(ctx, to)
	if g.web.IsQuiet("status " + th.Channel) {
		return nil
	}
	// Wait for a sent call: a late one would take effect after the call that clears the
	// status.
	err := g.web.Steady(ctx, web.Job{Method: web.MethodStatus, Channel: th.Channel, Urgent: text == ""}, func(ctx context.Context) error {
		return g.web.API().SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{
			ChannelID: th.Channel, ThreadTS: th.ID, Status: render.Clip(render.OneLine(text), render.MaxStatus),
		})
	})
	if g.web.Quieten(ctx, "status "+th.Channel, err) {
		return nil
	}
	return web.Delivery("typing", err)
}

// emoji maps a mark to its emoji.
var emoji = map[bot.Mark]string{bot.MarkSeen: "eyes", bot.MarkQueued: "hourglass_flowing_sand"}

// mark adds a reaction to a person's message or removes it, idempotently. Marks do not wait
// for rate limits: they fail at once with the delay.
func (g *Signs) mark(ctx context.Context, to bot.Target, message string, m bot.Mark, on bool) error {
	name, ok := emoji[m]
	if !ok {
		return nil
	}
	item := slack.NewRefToMessage(to.Thread.Channel, message)
	method := "reactions.remove"
	if on {
		method = "reactions.add"
	}
	err := g.web.Do(ctx, web.Job{Method: method, Channel: to.Thread.Channel}, func(ctx context.Context) error {
		if on {
			return g.web.API().AddReactionContext(ctx, name, item)
		}
		return g.web.API().RemoveReactionContext(ctx, name, item)
	})
	switch web.Code(err) {
	case "already_reacted", "no_reaction", "message_not_found":
		return nil
	}
	return web.Delivery("react", err)
}
