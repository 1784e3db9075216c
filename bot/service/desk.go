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
