package slack

import (
	"context"

	"github.com/slack-go/slack"

	"maru/bot"
)

var _ bot.Direct = (*Adapter)(nil)

// Direct implements bot.Direct: the card is posted in the person's direct
// conversation with the bot.
func (a *Adapter) Direct(ctx context.Context, t bot.Thread, u bot.User, c bot.Card) error {
	to := bot.Thread{Platform: Platform, Team: t.Team, Direct: true}
	err := a.gates.do(ctx, job{method: "conversations.open", urgent: true}, func(ctx context.Context) error {
		ch, _, _, err := a.api().OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{u.ID}})
		if err == nil {
			to.Channel = ch.ID
		}
		return err
	})
	if err != nil {
		return delivery("direct", err)
	}
	_, err = a.Post(ctx, bot.Target{Thread: to, User: u}, c, "") // nothing is lost when it is told twice
	return err
}
