package discord

import (
	"context"

	"maru/bot"
)

var _ bot.Direct = (*Adapter)(nil)

// Direct implements bot.Direct: a direct message, which a person may have
// switched off for people they share no friends with.
func (a *Adapter) Direct(ctx context.Context, _ bot.Thread, u bot.User, c bot.Card) error {
	return delivery("direct", a.directly(ctx, u, c))
}
