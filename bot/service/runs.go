package service

import (
	"context"

	"maru/bot"
)

// What other rooms ask of the runs of this process.

// Wake has a thread looked at that got work.
func (b *Bot) Wake(thread string) { b.workers.Wake(thread) }

// GiveUp ends a question that has waited too long: the run goes on without a decision.
func (b *Bot) GiveUp(ctx context.Context, row bot.Approval) { b.questions.GiveUp(ctx, row) }

// Forget removes everything that is kept of a thread, and stops first what works on it.
func (b *Bot) Forget(ctx context.Context, t bot.Thread, u bot.User) error {
	return b.forgetter.Forget(ctx, t, u)
}

// gaveUp tells those who wait for what a job was to bring that it does not come.
func (b *Bot) gaveUp(ctx context.Context, j bot.Job, err error) {
	if j.Kind == bot.JobFiles {
		b.parcels.GiveUp(ctx, j, err)
	}
}
