package service

import (
	"context"

	"maru/bot"
)

// File returns a file that a run made to a person who may see the run from where
// they are.
func (b *Bot) File(ctx context.Context, from bot.Thread, u bot.User, run string, n int) (bot.Artifact, error) {
	return b.parcels.File(ctx, from, u, run, n)
}

// Files lists the files that a thread's runs made, without their bytes.
func (b *Bot) Files(ctx context.Context, t bot.Thread) ([]bot.Artifact, error) {
	return b.parcels.Files(ctx, t)
}

// Follow shows a run to whoever may see it, until it has ended, ctx ends or show
// returns an error.
func (b *Bot) Follow(ctx context.Context, t bot.Thread, u bot.User, run string, show func(bot.Feed) error) error {
	return b.follows.Follow(ctx, t, u, run, show)
}

// Rule decides a run's question for a person who does not stand before its card.
func (b *Bot) Rule(ctx context.Context, r bot.Ruling) (bot.Ruled, error) {
	return b.questions.Rule(ctx, r)
}

// MaySee says whether a person may see a run: an error says that they may not.
func (b *Bot) MaySee(ctx context.Context, from bot.Thread, u bot.User, run string) error {
	return b.questions.MaySee(ctx, from, u, run)
}
