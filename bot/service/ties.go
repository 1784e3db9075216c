package service

import (
	"context"
	"fmt"
	"maru/bot/gap"

	"maru/bot"
	"maru/bot/command"
	"maru/bot/inbox"
	"maru/bot/privacy"
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

// expiries are the items of retention, as the turns see them.
type expiries struct{ b *Bot }

// Expire implements turn.Expiries.
func (ex expiries) Expire(ctx context.Context, l bot.Lease, it bot.Item) error {
	e, err := privacy.ReadExpiry(it)
	if err != nil {
		return fmt.Errorf("%w: %w", turn.ErrUnreadable, err)
	}
	return ex.b.keeper.Expire(ctx, l, it, e)
}

// memories is what is remembered of people, as the turns see it.
type memories struct{ b *Bot }

// Asked implements turn.Memories.
func (me memories) Asked(text string) bool {
	return me.b.cfg.Memory != nil && command.AsksOwnMemory(text)
}

// Own implements turn.Memories.
func (me memories) Own(ctx context.Context, m bot.Message, lang string) (string, error) {
	return me.b.Room.Memory.Own(ctx, m, lang)
}

// offers are the schedules as the turns see them, nil if there are none.
func (b *Bot) offers() turn.Schedules {
	if b.schedules == nil {
		return nil
	}
	return b.schedules
}

// reports are the schedules of weekly reports, nil where the record keeps none.
func (b *Bot) reports() gap.Weekly {
	if b.schedules == nil {
		return nil
	}
	return b.schedules
}
