package slack

import (
	"context"

	"github.com/slack-go/slack"

	"maru/adapters/slack/web"
	"maru/bot"
)

// Typing shows status under the bot's name in a thread. Where Slack offers no
// status (outside threads, in apps without the feature) it does nothing: the
// reply itself shows that the bot is at work.
func (a *Adapter) Typing(ctx context.Context, to bot.Target, status string) error {
	th := to.Thread
	if th.ID == "" || th.Channel == "" || status != "" && a.streams.in(th.Channel, th.ID) {
		return nil // a stream says itself what it is at
	}
	a.entitle(ctx, to)
	if a.web.IsQuiet("status " + th.Channel) {
		return nil
	}
	// A call that was sent is waited for: taken up late, it would stand after the one that clears it.
	err := a.web.Steady(ctx, web.Job{Method: web.MethodStatus, Channel: th.Channel, Urgent: status == ""}, func(ctx context.Context) error {
		return a.web.API().SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{
			ChannelID: th.Channel, ThreadTS: th.ID, Status: clip(oneLine(status), maxStatus),
		})
	})
	if a.web.Quieten(ctx, "status "+th.Channel, err) {
		return nil
	}
	return web.Delivery("typing", err)
}

// emoji says which emoji shows a mark.
var emoji = map[bot.Mark]string{bot.MarkSeen: "eyes", bot.MarkQueued: "hourglass_flowing_sand"}

// React puts a mark on a person's message or takes it away. A mark that is, or
// is not, there already is as good. Marks wait for nobody: what Slack does not
// take now is refused with the time to wait.
func (a *Adapter) React(ctx context.Context, to bot.Target, message string, mark bot.Mark, on bool) error {
	name, ok := emoji[mark]
	if !ok {
		return nil
	}
	item := slack.NewRefToMessage(to.Thread.Channel, message)
	method := "reactions.remove"
	if on {
		method = "reactions.add"
	}
	err := a.web.Do(ctx, web.Job{Method: method, Channel: to.Thread.Channel}, func(ctx context.Context) error {
		if on {
			return a.web.API().AddReactionContext(ctx, name, item)
		}
		return a.web.API().RemoveReactionContext(ctx, name, item)
	})
	switch web.Code(err) {
	case "already_reacted", "no_reaction", "message_not_found":
		return nil
	}
	return web.Delivery("react", err)
}
