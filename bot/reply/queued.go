package reply

import (
	"context"
	"errors"
	"time"

	"maru/bot"
)

// queuedAfter is the wait after which a message is marked as queued: most preceding runs finish sooner.
const queuedAfter = time.Second

// ShowQueued marks a waiting message as queued, or says so, and removes the mark when its turn comes.
func (rs *Replies) ShowQueued(ctx context.Context, m bot.Message) {
	run := m.Run()
	rs.marked.Store(run, nil) // it has no mark that the run would have to remove
	defer rs.marked.CompareAndDelete(run, nil)
	to := bot.Target{Thread: m.Thread, ReplyTo: m.ReplyTo, User: m.User}
	r, ok := rs.adapters[m.Thread.Platform].(bot.Reactor)
	for wait := queuedAfter; ; {
		if !waits(ctx, wait) || rs.turnCame(ctx, m.Thread, run) {
			return
		}
		if !ok {
			break
		}
		rs.marked.Store(run, marked{To: to, Message: m.ID})
		err := r.React(ctx, to, m.ID, bot.MarkQueued, true)
		if err == nil {
			if rs.turnCame(ctx, m.Thread, run) {
				rs.unmarkOne(ctx, run)
			}
			return
		}
		rs.marked.Store(run, nil)
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
