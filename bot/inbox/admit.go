package inbox

import (
	"context"
	"errors"
	"fmt"

	"maru/bot"
	"maru/config"
)

// busy reports whether the thread is at work on something other than the
// message.
func (in *Intake) busy(ctx context.Context, m bot.Message) (bool, error) {
	key := m.Thread.Key()
	if in.runs.Has(m.Run()) {
		return false, nil
	}
	if in.busyHere(key) {
		return true, nil
	}
	s, ok := in.record.(bot.Stopper)
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
func (in *Intake) busyHere(thread string) bool { return in.workers.Has(thread) || in.runs.Busy(thread) }

// admit decides what becomes of a message that comes while its thread is at
// work, by the place's setting. taken is false when it is not to be accepted;
// then is done once it has been.
func (in *Intake) admit(ctx context.Context, m bot.Message, set config.Resolved) (taken bool, then func(), err error) {
	nothing := func() {}
	policy := set.Decisions.WhileBusy
	if m.Overheard { // it may be for somebody else: nobody is told, nothing is stopped
		return true, nothing, nil
	}
	if policy == config.BusyQueue || policy == "" {
		if !in.busyHere(m.Thread.Key()) || in.runs.Has(m.Run()) {
			return true, nothing, nil
		}
		return true, func() { in.chores.Start(ctx, func(ctx context.Context) { in.replies.ShowQueued(ctx, m) }) }, nil
	}
	busy, err := in.busy(ctx, m)
	if err != nil || !busy {
		return err == nil, nothing, err
	}
	switch policy {
	case config.BusyReject:
		in.chores.Start(ctx, func(ctx context.Context) { in.aloneTo(ctx, m, bot.CodeBusy) })
		return false, nothing, nil
	case config.BusyInterrupt:
		return true, func() { in.makeWay(ctx, m, bot.StopInterrupted) }, nil
	case config.BusyRollback:
		return true, func() { in.makeWay(ctx, m, bot.StopRolledBack) }, nil
	}
	return true, nothing, nil
}

// makeWay ends what a message came upon. That may just have ended by itself, and the
// message's own run be at work.
func (in *Intake) makeWay(ctx context.Context, m bot.Message, why bot.StopReason) {
	in.runs.EndAllBut(ctx, m.Thread.Key(), m.Run(), why)
}

// aloneTo tells who wrote a message something, privately where that is possible.
func (in *Intake) aloneTo(ctx context.Context, m bot.Message, code bot.Code) {
	lang := in.rules.Language(ctx, m.Thread, m.User, m.Text)
	card := (&bot.Error{Code: code}).Notice(lang)
	a := in.adapters[m.Thread.Platform]
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
		in.log.WarnContext(ctx, "tell the author", "code", code, "err", err)
	}
}
