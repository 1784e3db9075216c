package discord

import (
	"context"

	"maru/adapters/discord/rest"
	"maru/bot"
)

// Direct implements bot.Direct: a direct message, which a person may have
// switched off for people they share no friends with.
func (s *sender) Direct(ctx context.Context, _ bot.Thread, u bot.User, c bot.Card) error {
	return rest.Delivery("direct", s.directly(ctx, u, c))
}
