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

// Signs show that the bot is at work beside what it writes: a status, marks on messages,
// titles of conversations and the state of agent sessions. A workspace that offers none
// of it misses only the looks.
type Signs struct {
	web     *web.Client
	spawn   workspace.Spawn
	streams *streams // a stream says itself what it is at

	untitled *cache.Cache[string, bool]   // conversations of the app's own place: whether they want a title
	sessions *cache.Cache[string, string] // states of agent sessions
}

func newSigns(w *web.Client, spawn workspace.Spawn, s *streams) *Signs {
	return &Signs{web: w, spawn: spawn, streams: s, untitled: cache.New[string, bool](1024), sessions: cache.New[string, string](4096)}
}

// status is shown under the bot's name in a thread. Where Slack offers no
// status (outside threads, in apps without the feature) it does nothing: the
// reply itself shows that the bot is at work.
func (g *Signs) status(ctx context.Context, to bot.Target, text string) error {
	th := to.Thread
	if th.ID == "" || th.Channel == "" || text != "" && g.streams.in(th.Channel, th.ID) {
		return nil // a stream says itself what it is at
	}
	g.entitle(ctx, to)
	if g.web.IsQuiet("status " + th.Channel) {
		return nil
	}
	// A call that was sent is waited for: taken up late, it would stand after the one that clears it.
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

// emoji says which emoji shows a mark.
var emoji = map[bot.Mark]string{bot.MarkSeen: "eyes", bot.MarkQueued: "hourglass_flowing_sand"}

// mark puts a mark on a person's message or takes it away. A mark that is, or
// is not, there already is as good. Marks wait for nobody: what Slack does not
// take now is refused with the time to wait.
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
