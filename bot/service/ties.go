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

// threads adapts the active threads of this process for other packages.
type threads struct {
	*inbox.Workers
	*turn.Runs
}

// Busy implements reply.Workers.
func (t threads) Busy(thread string) bool {
	return t.Workers.Has(thread) || t.Runs.Busy(thread)
}

// asks adapts the pending questions for the runs, which are built before them.
type asks struct{ b *Bot }

// StillAsked implements turn.Asks.
func (a asks) StillAsked(ctx context.Context, thread, run string) ([]string, error) {
	return a.b.questions.StillAsked(ctx, thread, run)
}

// expiries adapts the retention items for the turns.
type expiries struct{ b *Bot }

// Expire implements turn.Expiries.
func (ex expiries) Expire(ctx context.Context, l bot.Lease, it bot.Item) error {
	e, err := privacy.ReadExpiry(it)
	if err != nil {
		return fmt.Errorf("%w: %w", turn.ErrUnreadable, err)
	}
	return ex.b.keeper.Expire(ctx, l, it, e)
}

// memories adapts long-term memory for the turns.
type memories struct{ b *Bot }

// Asked implements turn.Memories.
func (me memories) Asked(text string) bool {
	return me.b.cfg.Memory != nil && command.AsksOwnMemory(text)
}

// Own implements turn.Memories.
func (me memories) Own(ctx context.Context, m bot.Message, lang string) (string, error) {
	return me.b.Room.Memory.Own(ctx, m, lang)
}

// offers returns the schedules for the turns, nil if there are none.
func (b *Bot) offers() turn.Schedules {
	if b.schedules == nil {
		return nil
	}
	return b.schedules
}

// reports returns the schedules of weekly reports, nil without schedules in the record.
func (b *Bot) reports() gap.Weekly {
	if b.schedules == nil {
		return nil
	}
	return b.schedules
}
