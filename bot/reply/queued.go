package reply

import (
	"context"
	"errors"
	"time"

	"maru/bot"
)

// queuedAfter is the wait after which a message is marked as queued: most preceding runs finish sooner.
const queuedAfter = time.Second

// ShowQueued marks a waiting message as queued, or says so, and removes the mark when its turn comes. It returns as soon as the
// message's run begins in this process.
func (rs *Replies) ShowQueued(ctx context.Context, m bot.Message) {
	run := m.Run()
	begun := make(chan struct{}) // closed by the run, which has no mark to remove
	rs.marked.Store(run, begun)
	defer rs.marked.CompareAndDelete(run, begun)
	to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, User: m.User}
	r, ok := rs.adapters[m.Thread.Platform].(bot.Reactor)
	for wait := queuedAfter; ; {
		if !waits(ctx, begun, wait) || rs.turnCame(ctx, m.Thread, run) {
			return
		}
		if !ok {
			break
		}
		if !rs.marked.CompareAndSwap(run, begun, marked{To: to, Message: m.ID}) {
			return // it has begun
		}
		err := r.React(ctx, to, m.ID, bot.MarkQueued, true)
		if err == nil {
			if rs.turnCame(ctx, m.Thread, run) {
				rs.unmarkOne(ctx, run)
			}
			return
		}
		rs.marked.Store(run, begun)
		rs.log.DebugContext(ctx, "mark as queued", "platform", m.Thread.Platform, "err", err)
		var d *bot.DeliveryError
		if !errors.As(err, &d) || d.After <= 0 {
			break
		}
		wait = max(d.After, queuedAfter) // a message instead would wait as long
	}
	if w, ok := rs.adapters[m.Thread.Platform].(bot.Whisperer); ok {
		lang := rs.languages.Language(ctx, m.Thread, m.User, m.Text)
		if err := w.Whisper(ctx, to, m.User, (&bot.Error{Code: bot.CodeQueued}).Notice(lang)); err != nil {
			rs.log.DebugContext(ctx, "say that it is queued", "platform", m.Thread.Platform, "err", err)
		}
	}
}

// turnCame reports whether a message's run has started or ended. If the thread has no active run, nothing is
// queued; a turn may leave no reply if the message was deleted or was a decision.
func (rs *Replies) turnCame(ctx context.Context, t bot.Thread, run string) bool {
	if !rs.workers.Busy(t.Key()) {
		return true
	}
	_, err := rs.record.Reply(ctx, run)
	return !errors.Is(err, bot.ErrNotFound)
}
