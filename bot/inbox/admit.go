package inbox

import (
	"context"
	"errors"
	"fmt"

	"maru/bot"
	"maru/config"
)

// busy reports whether any replica is working on another message of the thread.
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
		return false, fmt.Errorf("check whether the thread is busy: %w", err)
	}
	return working, nil
}

// busyHere reports whether the thread is queued or active in this process.
func (in *Intake) busyHere(thread string) bool { return in.workers.Has(thread) || in.runs.Busy(thread) }

// admit applies the channel's while_busy setting to a message whose thread is busy: queue, reject, interrupt or roll
// back. taken is false if the message is rejected; otherwise the caller runs then after committing it.
func (in *Intake) admit(ctx context.Context, m bot.Message, set config.Resolved) (taken bool, then func(), err error) {
	nothing := func() {}
	policy := set.Decisions.WhileBusy
	if m.Overheard { // possibly meant for somebody else: no notice
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
	if policy == config.BusyReject {
		in.chores.Start(ctx, func(ctx context.Context) { in.notifyAuthor(ctx, m, bot.CodeBusy) })
		return false, nothing, nil
	}
	// The message's own run is spared: it may have started already if the earlier one ended by itself.
	return true, func() { in.runs.EndAllBut(ctx, m, stops(m, set)) }, nil
}

// stops returns why a message stops the earlier ones of its thread, "" if it does not.
func stops(m bot.Message, set config.Resolved) bot.StopReason {
	switch policy := set.Decisions.WhileBusy; {
	case m.Overheard: // possibly meant for somebody else
		return ""
	case policy == config.BusyInterrupt:
		return bot.StopInterrupted
	case policy == config.BusyRollback:
		return bot.StopRolledBack
	}
	return ""
}

// notifyAuthor sends a notice to a message's author, privately where the platform can.
func (in *Intake) notifyAuthor(ctx context.Context, m bot.Message, code bot.Code) {
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
		in.log.WarnContext(ctx, "notify author", "code", code, "err", err)
	}
}
