package service

import (
	"context"

	"maru/bot"
)

// Operations on the runs of this process for other packages.

// Wake wakes a thread with new items.
func (b *Bot) Wake(thread string) { b.workers.Wake(thread) }

// GiveUp expires a question: the run resumes without a decision.
func (b *Bot) GiveUp(ctx context.Context, row bot.Approval) { b.questions.GiveUp(ctx, row) }

// Forget deletes a thread's data, after stopping its run.
func (b *Bot) Forget(ctx context.Context, t bot.Thread, u bot.User) error {
	return b.forgetter.Forget(ctx, t, u)
}

// gaveUp reports to those who wait for a job's result that it will not arrive.
func (b *Bot) gaveUp(ctx context.Context, j bot.Job, err error) {
	if j.Kind == bot.JobFiles {
		b.parcels.GiveUp(ctx, j, err)
	}
}
