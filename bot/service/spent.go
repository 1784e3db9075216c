package service

import (
	"context"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
)

// counted lets what model calls outside of a run cost be counted in the sums of a
// place and a person.
func (b *Bot) counted(ctx context.Context, t bot.Thread, u bot.User, on bot.SpentOn) context.Context {
	if b.cfg.Listen == nil {
		return ctx
	}
	return b.cfg.Listen(ctx, func(spent agent.Usage) {
		if spent == (agent.Usage{}) {
			return
		}
		// Paid is paid, whoever does not wait for the answer.
		ctx, cancel := chore.AtTheEnd(ctx)
		defer cancel()
		err := b.cfg.Record.Spend(ctx, bot.Used{
			Day: b.today(), Team: t.TeamKey(), Channel: t.Channel, User: u.ID, Kind: on, Usage: spent,
		})
		if err != nil {
			b.log.ErrorContext(ctx, "usage lost", "kind", on, "team", t.TeamKey(), "err", err)
		}
	})
}
