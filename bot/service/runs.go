package service

import (
	"context"

	"maru/bot"
)

// What other rooms ask of the runs of this process.

// StopHere cancels what works on a thread in this process.
func (b *Bot) StopHere(thread string) { b.active.cancelThread(thread, errStop) }

// Fence cancels what works on a thread in this process, as if its lease had been taken over.
func (b *Bot) Fence(thread string) { b.active.cancelThread(thread, bot.ErrFenced) }

// FenceTeam cancels the runs of all threads of a workspace in this process.
func (b *Bot) FenceTeam(team string) { b.active.cancelTeam(team, bot.ErrLost) }

// Await waits until no run of this process works in the thread.
func (b *Bot) Await(ctx context.Context, thread string) error { return b.active.await(ctx, thread) }

// Wake has a thread looked at that got work.
func (b *Bot) Wake(thread string) { b.workers.Wake(thread) }

// GiveUp ends a question that has waited too long: the run goes on without a decision.
func (b *Bot) GiveUp(ctx context.Context, row bot.Approval) { b.questions.GiveUp(ctx, row) }

// Forget removes everything that is kept of a thread, and stops first what works on it.
func (b *Bot) Forget(ctx context.Context, t bot.Thread, u bot.User) error {
	return b.forgetter.Forget(ctx, t, u)
}

// StopOf stops what a person has running in the threads of a channel, on every replica.
func (b *Bot) StopOf(ctx context.Context, channel bot.Thread, user string) bool {
	here, elsewhere := b.halt(ctx, ofPerson(channel, user), bot.StopSaid), b.haltElsewhere(ctx, channel, user)
	return here || elsewhere
}

// Running is how many runs work in a thread here, or with none named in its channel.
func (b *Bot) Running(t bot.Thread) int { return b.active.count(t) }

// AwaitTrace waits, but not long, until neither the run nor, with run "", any of the
// thread is at work.
func (b *Bot) AwaitTrace(ctx context.Context, run, thread string) {
	b.active.awaitTrace(ctx, run, thread)
}

// Drafts are what the replies of a thread's runs show right now.
func (b *Bot) Drafts(thread string) []bot.PostedCard { return b.active.drafts(thread) }

// gaveUp tells those who wait for what a job was to bring that it does not come.
func (b *Bot) gaveUp(ctx context.Context, j bot.Job, err error) {
	if j.Kind == bot.JobFiles {
		b.parcels.GiveUp(ctx, j, err)
	}
}

// Has reports whether a run is at work in this process.
func (b *Bot) Has(run string) bool { return b.active.has(run) }

// Busy reports whether a run is at work in a thread in this process.
func (b *Bot) Busy(thread string) bool { return b.active.other(thread, "") }
