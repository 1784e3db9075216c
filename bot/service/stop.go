package service

import (
	"context"
	"slices"
	"time"

	"maru/bot"
)

// stopCause is the cause that a reason stands for.
func stopCause(why bot.StopReason) error {
	switch why {
	case bot.StopInterrupted:
		return errInterrupted
	case bot.StopRolledBack:
		return errRolledBack
	case bot.StopWithdrawn:
		return errWithdrawn
	case bot.StopEdited:
		return errEdited
	}
	return errStop
}

// Stop ends what runs in a thread, on whichever replica, and reports whether
// there was something to stop.
func (b *Bot) Stop(ctx context.Context, thread string) bool { return b.end(ctx, thread, bot.StopSaid) }

// StopSaidBy is Stop by a word. It is for what was asked before it was said: one that
// comes late, or is delivered again, stops no run of a later question. What is not
// known to be later, since no one clock dated both, is stopped.
func (b *Bot) StopSaidBy(ctx context.Context, m bot.Message) bool {
	if !b.active.said(m.Key()) && b.endSome(ctx, m.Thread.Key(), bot.StopSaid, ending{until: m.Stamped()}) {
		b.active.say(m.Key())
		return true
	}
	return false
}

// EndAllBut ends what a thread is at work on but one run, which may be at work by now.
func (b *Bot) EndAllBut(ctx context.Context, thread, run string, why bot.StopReason) {
	b.endSome(ctx, thread, why, ending{but: run})
}

// end cancels a thread's run here, or asks the replica that has it. One that was
// broken off and is to go on will not.
func (b *Bot) end(ctx context.Context, thread string, why bot.StopReason) bool {
	return b.endSome(ctx, thread, why, ending{})
}

// ending narrows what of a thread is to end.
type ending struct {
	until time.Time // what was asked until then; zero: all
	but   string    // a run that is not meant, "" for none
}

// endSome is end for some of what a thread is at work on.
func (b *Bot) endSome(ctx context.Context, thread string, why bot.StopReason, e ending) bool {
	if b.halt(ctx, ofThread(thread).asked(e.until).but(e.but), why) {
		return true
	}
	broken, newer := b.haltBroken(ctx, thread, why, e)
	s, ok := b.cfg.Record.(bot.Stopper)
	if !ok || newer || b.active.other(thread, "") { // a mark is for whatever the thread is at work on
		return broken
	}
	found, err := s.AskStop(ctx, thread, bot.StopRequest{Reason: why, But: e.but}.String())
	if err != nil {
		b.log.WarnContext(ctx, "ask to stop", "err", err)
	}
	return found || broken
}

// EndRun cancels one run of a thread here, or asks the replica that has the
// thread. A run that is not at work there is not harmed.
func (b *Bot) EndRun(ctx context.Context, thread, run string, why bot.StopReason) {
	s, ok := b.cfg.Record.(bot.Stopper)
	if b.active.cancelRun(run, stopCause(why)) || !ok {
		return
	}
	if _, err := s.AskStop(ctx, thread, bot.StopRequest{Reason: why, Run: run}.String()); err != nil {
		b.log.WarnContext(ctx, "ask to stop a run", "run", run, "err", err)
	}
}

// stopEvery is how often a replica looks whether it is asked to stop a run, in
// case nobody wakes it.
const stopEvery = 500 * time.Millisecond

// watchStops stops the runs that other replicas ask this one to stop, until ctx ends.
func (b *Bot) watchStops(ctx context.Context, s bot.Stopper) {
	tick := time.NewTicker(stopEvery)
	defer tick.Stop()
	var heard []bot.Stop
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.workers.Woken():
		case <-tick.C:
		}
		if b.active.none() {
			continue
		}
		heard = b.applyStops(ctx, s, heard)
	}
}

// applyStops stops what the replica is asked to stop and has not heard of, and returns
// the marks that stand there still: told once more, they are for runs that are over,
// and may not stop those that came after.
func (b *Bot) applyStops(ctx context.Context, s bot.Stopper, heard []bot.Stop) []bot.Stop {
	stops, err := s.Stops(ctx, b.cfg.Owner)
	if err != nil {
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "look for stops", "err", err)
		}
		return heard
	}
	if len(stops) == 0 {
		return nil
	}
	for _, stop := range stops {
		if slices.Contains(heard, stop) {
			continue
		}
		if r := bot.ReadStop(stop.Why); r.Run != "" {
			b.active.cancelRun(r.Run, stopCause(r.Reason))
		} else {
			b.halt(ctx, ofThread(stop.Thread).but(r.But), r.Reason)
		}
	}
	if err := s.HeardStops(ctx, stops); err != nil && ctx.Err() == nil {
		b.log.WarnContext(ctx, "stops that were heard stay", "err", err)
	}
	return stops
}
