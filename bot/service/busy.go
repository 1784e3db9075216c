package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/inbox"
	"maru/config"
)

// Why a run is asked to stop, as replicas tell each other.
const (
	stopSaid        = "stop"
	stopInterrupted = "interrupt"
	stopRolledBack  = "rollback"
	stopWithdrawn   = "withdrawn" // of one run
	stopEdited      = "edited"    // likewise
)

// stopCause is the cause that a reason stands for.
func stopCause(why string) error {
	switch why {
	case stopInterrupted:
		return errInterrupted
	case stopRolledBack:
		return errRolledBack
	case stopWithdrawn:
		return errWithdrawn
	case stopEdited:
		return errEdited
	}
	return errStop
}

// Stop ends what runs in a thread, on whichever replica, and reports whether
// there was something to stop.
func (b *Bot) Stop(ctx context.Context, thread string) bool { return b.end(ctx, thread, stopSaid) }

// stopSaidBy is Stop by a word. It is for what was asked before it was said: one that
// comes late, or is delivered again, stops no run of a later question. What is not
// known to be later, since no one clock dated both, is stopped.
func (b *Bot) stopSaidBy(ctx context.Context, m bot.Message) bool {
	if !b.active.said(m.Key()) && b.endSome(ctx, m.Thread.Key(), stopSaid, ending{until: m.Stamped()}) {
		b.active.say(m.Key())
		return true
	}
	return false
}

// end cancels a thread's run here, or asks the replica that has it. One that was
// broken off and is to go on will not.
func (b *Bot) end(ctx context.Context, thread, why string) bool {
	return b.endSome(ctx, thread, why, ending{})
}

// ending narrows what of a thread is to end.
type ending struct {
	until time.Time // what was asked until then; zero: all
	but   string    // a run that is not meant, "" for none
}

// markBut stands before a run that a mark for a whole thread does not mean.
const markBut = "but:"

// endSome is end for some of what a thread is at work on.
func (b *Bot) endSome(ctx context.Context, thread, why string, e ending) bool {
	if b.halt(ctx, ofThread(thread).asked(e.until).but(e.but), why) {
		return true
	}
	broken, newer := b.haltBroken(ctx, thread, why, e)
	s, ok := b.cfg.Record.(bot.Stopper)
	if !ok || newer || b.active.other(thread, "") { // a mark is for whatever the thread is at work on
		return broken
	}
	if e.but != "" {
		why += " " + markBut + e.but
	}
	found, err := s.AskStop(ctx, thread, why)
	if err != nil {
		b.log.WarnContext(ctx, "ask to stop", "err", err)
	}
	return found || broken
}

// endRun cancels one run of a thread here, or asks the replica that has the
// thread. A run that is not at work there is not harmed.
func (b *Bot) endRun(ctx context.Context, thread, run, why string) {
	s, ok := b.cfg.Record.(bot.Stopper)
	if b.active.cancelRun(run, stopCause(why)) || !ok {
		return
	}
	if _, err := s.AskStop(ctx, thread, why+" "+run); err != nil {
		b.log.WarnContext(ctx, "ask to stop a run", "run", run, "err", err)
	}
}

// stopEvery is how often a replica looks whether it is asked to stop a run, in
// case nobody wakes it.
const stopEvery = 500 * time.Millisecond

// heed stops the runs that other replicas ask this one to stop, until ctx ends.
func (b *Bot) heed(ctx context.Context, s bot.Stopper) {
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
		heard = b.heedNow(ctx, s, heard)
	}
}

// heedNow stops what the replica is asked to stop and has not heard of, and returns
// the marks that stand there still: told once more, they are for runs that are over,
// and may not stop those that came after.
func (b *Bot) heedNow(ctx context.Context, s bot.Stopper, heard []bot.Stop) []bot.Stop {
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
		why, run, one := strings.Cut(stop.Why, " ")
		if but, most := strings.CutPrefix(run, markBut); most || !one {
			b.halt(ctx, ofThread(stop.Thread).but(but), why)
			continue
		}
		b.active.cancelRun(run, stopCause(why))
	}
	if err := s.HeardStops(ctx, stops); err != nil && ctx.Err() == nil {
		b.log.WarnContext(ctx, "stops that were heard stay", "err", err)
	}
	return stops
}

// busy reports whether the thread is at work on something other than the
// message.
func (b *Bot) busy(ctx context.Context, m bot.Message) (bool, error) {
	key := m.Thread.Key()
	if b.active.has(m.Run()) {
		return false, nil
	}
	if b.busyHere(key) {
		return true, nil
	}
	s, ok := b.cfg.Record.(bot.Stopper)
	if !ok {
		return false, nil
	}
	working, err := s.Working(ctx, key)
	if err != nil {
		return false, fmt.Errorf("look whether the thread is at work: %w", err)
	}
	return working, nil
}

// busyHere reports whether this process is at work in a thread, or will be next.
func (b *Bot) busyHere(thread string) bool { return threads{b.workers, b.active}.Busy(thread) }

// threads are those on which this process works, as other rooms see them.
type threads struct {
	*inbox.Workers
	active *activeRuns
}

// BusyBeside implements approval.Threads.
func (t threads) BusyBeside(thread, run string) bool { return t.active.other(thread, run) }

// Busy implements reply.Workers.
func (t threads) Busy(thread string) bool {
	return t.Has(thread) || t.active.other(thread, "")
}

// admit decides what becomes of a message that comes while its thread is at
// work, by the place's setting. taken is false when it is not to be accepted;
// then is done once it has been.
func (b *Bot) admit(ctx context.Context, m bot.Message, set config.Resolved) (taken bool, then func(), err error) {
	nothing := func() {}
	policy := set.Decisions.WhileBusy
	if m.Overheard { // it may be for somebody else: nobody is told, nothing is stopped
		return true, nothing, nil
	}
	if policy == config.BusyQueue || policy == "" {
		if !b.busyHere(m.Thread.Key()) || b.active.has(m.Run()) {
			return true, nothing, nil
		}
		return true, func() { b.chores.Start(ctx, func(ctx context.Context) { b.replies.ShowQueued(ctx, m) }) }, nil
	}
	busy, err := b.busy(ctx, m)
	if err != nil || !busy {
		return err == nil, nothing, err
	}
	switch policy {
	case config.BusyReject:
		b.chores.Start(ctx, func(ctx context.Context) { b.aloneTo(ctx, m, bot.CodeBusy) })
		return false, nothing, nil
	case config.BusyInterrupt:
		return true, func() { b.makeWay(ctx, m, stopInterrupted) }, nil
	case config.BusyRollback:
		return true, func() { b.makeWay(ctx, m, stopRolledBack) }, nil
	}
	return true, nothing, nil
}

// makeWay ends what a message came upon. That may just have ended by itself, and the
// message's own run be at work.
func (b *Bot) makeWay(ctx context.Context, m bot.Message, why string) {
	b.endSome(ctx, m.Thread.Key(), why, ending{but: m.Run()})
}

// aloneTo tells who wrote a message something, privately where that is possible.
func (b *Bot) aloneTo(ctx context.Context, m bot.Message, code bot.Code) {
	lang := b.language(ctx, m.Thread, m.User, m.Text)
	card := (&bot.Error{Code: code}).Notice(lang)
	a := b.adapters[m.Thread.Platform]
	to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, User: m.User}
	var err error
	switch w, ok := a.(bot.Whisperer); {
	case ok:
		err = w.Whisper(ctx, to, m.User, card)
	case a != nil:
		_, err = a.Post(ctx, to, card, string(code)+"-"+m.Run())
	default:
		err = errors.New("no adapter for platform " + m.Thread.Platform)
	}
	if err != nil {
		b.log.WarnContext(ctx, "tell the author", "code", code, "err", err)
	}
}
