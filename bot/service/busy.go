package service

import (
	"context"
	"errors"
	"fmt"

	"maru/bot"
	"maru/bot/inbox"
	"maru/config"
)

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
		return true, func() { b.makeWay(ctx, m, bot.StopInterrupted) }, nil
	case config.BusyRollback:
		return true, func() { b.makeWay(ctx, m, bot.StopRolledBack) }, nil
	}
	return true, nothing, nil
}

// makeWay ends what a message came upon. That may just have ended by itself, and the
// message's own run be at work.
func (b *Bot) makeWay(ctx context.Context, m bot.Message, why bot.StopReason) {
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
