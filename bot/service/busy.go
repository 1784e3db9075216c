package service

import (
	"context"

	"maru/bot/inbox"
	"maru/bot/turn"
)

// threads are those on which this process works, as other rooms see them.
type threads struct {
	*inbox.Workers
	*turn.Runs
}

// Busy implements reply.Workers.
func (t threads) Busy(thread string) bool {
	return t.Workers.Has(thread) || t.Runs.Busy(thread)
}

// asks are the questions that wait, as the runs see them: they are made after the runs.
type asks struct{ b *Bot }

// StillAsked implements turn.Asks.
func (a asks) StillAsked(ctx context.Context, thread, run string) ([]string, error) {
	return a.b.questions.StillAsked(ctx, thread, run)
}
