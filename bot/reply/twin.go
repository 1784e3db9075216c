package reply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"maru/bot"
	"maru/bot/chore"
)

// twinFinder finds the messages that were posted with one of the keys, but for the known ones. Adapters implement it whose
// platform posts twice what is sent twice with one key. Doubt makes the next edit of messages change them whatever they are
// thought to show, as a late draft may have done.
type twinFinder interface {
	Twins(ctx context.Context, to bot.Target, keys, known []string) ([]bot.Ref, error)
	Doubt(ref bot.Ref)
}

// twinsAfter is longer than a request to a platform may take. A lease is shorter, and the next process on a file does not
// wait for it: a request that a dead process has sent may take effect after its successor has looked for the message and
// posted its own.
const twinsAfter = time.Minute

// twins is the body of a job that removes the second copies of a reply.
type twins struct {
	Run      string     `json:"run"`
	Keys     []string   `json:"keys"` // with which the reply may have been posted
	Key      string     `json:"key"`  // instead, in jobs of earlier versions
	To       bot.Target `json:"to"`
	Messages []string   `json:"messages,omitempty"` // the reply's own
	Left     []left     `json:"left,omitempty"`     // messages that it left and that stay
	Lang     string     `json:"lang"`
}

// lookAgain returns the job that looks for second copies, if a post without a known result may still take effect: one of this
// presenter's, or of an earlier attempt. That an item was handed out before is in the record, so the look is owed even if
// every process in between died.
func (p *Presenter) lookAgain(ctx context.Context) []bot.Job {
	if _, ok := p.Adapter.(twinFinder); !ok || !p.again && !p.doubted || p.Row.Ref.IsZero() {
		return nil
	}
	own := slices.Clone(p.Row.Ref.Messages)
	for _, l := range p.stays {
		own = append(own, l.Ref.Messages...)
	}
	j, err := bot.NewJob(bot.JobTwins, p.Run+"/"+p.key()+"/"+p.item, twins{Run: p.Run, Keys: p.keys, To: p.To, Messages: own, Left: p.stays, Lang: p.Lang})
	if err != nil {
		p.all.log.WarnContext(ctx, "encode a posted reply", "run", p.Run, "err", err)
		return nil
	}
	j.At = p.all.now().Add(twinsAfter)
	return []bot.Job{j}
}

// RemoveTwins removes what a dead process posted beside its successor's reply, and closes what the reply left once more.
func (rs *Replies) RemoveTwins(ctx context.Context, j bot.Job) error {
	var t twins
	if err := json.Unmarshal(j.Body, &t); err != nil {
		rs.log.ErrorContext(ctx, "job dropped", "job", j.ID, "err", err)
		return nil
	}
	if t.Key != "" {
		t.Keys = append(t.Keys, t.Key)
	}
	a := rs.adapters[t.To.Thread.Platform]
	f, ok := a.(twinFinder)
	if !ok {
		return nil
	}
	if err := rs.idle(ctx, t.To.Thread); err != nil { // saves the look
		return err
	}
	f.Doubt(bot.Ref{Thread: t.To.Thread, Channel: t.To.Thread.Channel, Messages: t.Messages})
	found, err := f.Twins(ctx, t.To, t.Keys, t.Messages)
	if err != nil {
		return err
	}
	// In this order: a run that began before the second question may have posted what was found and not stored it yet; one
	// that begins later posts what was not found.
	if err := rs.idle(ctx, t.To.Thread); err != nil {
		return err
	}
	row, err := rs.record.Reply(ctx, t.Run)
	if err != nil && !errors.Is(err, bot.ErrNotFound) {
		return &chore.Later{After: twinsAfter, Err: fmt.Errorf("read reply: %w", err)}
	}
	young := false
	for _, ref := range found {
		switch {
		case slices.ContainsFunc(ref.Messages, func(m string) bool { return slices.Contains(row.Ref.Messages, m) }):
			continue
		case slices.ContainsFunc(ref.Messages, func(m string) bool { return rs.isYoung(a, m) }):
			young = true
			continue
		}
		rs.log.WarnContext(ctx, "second copy of a reply is removed", "run", t.Run, "platform", a.Platform())
		if err := closeLeft(ctx, a, left{Run: t.Run, Ref: ref, Lang: t.Lang}); err != nil {
			return err
		}
	}
	for _, l := range t.Left { // a late draft may have opened them again
		if err := closeLeft(ctx, a, l); err != nil {
			return err
		}
	}
	if young {
		return &chore.Later{After: twinsAfter, Err: errors.New("a copy is so young that its process may still store it")}
	}
	return nil
}

// CloseStray closes, in the background, a message that still shows a run's question after the reply has moved elsewhere: a late
// draft of a dead process has opened it again, or it is a second copy. ref.Key is set if it once was the question's own message:
// that one stays, with the decision. What is so young that its process may still store it is left alone.
func (rs *Replies) CloseStray(ctx context.Context, run string, ref bot.Ref, decision []bot.Field, lang string) {
	a := rs.adapters[ref.Thread.Platform]
	f, ok := a.(twinFinder)
	if !ok || slices.ContainsFunc(ref.Messages, func(m string) bool { return rs.isYoung(a, m) }) {
		return
	}
	rs.chores.Start(ctx, func(ctx context.Context) {
		row, err := rs.record.Reply(ctx, run)
		if err != nil || slices.ContainsFunc(ref.Messages, func(m string) bool { return slices.Contains(row.Ref.Messages, m) }) {
			return // the next click, or the job, tries again
		}
		f.Doubt(ref)
		if err := closeLeft(ctx, a, left{Run: run, Ref: ref, Fields: decision, Lang: lang}); err != nil {
			rs.log.DebugContext(ctx, "close stray question", "platform", a.Platform(), "run", run, "err", err)
		}
	})
}

// idle returns an error if a process works on a thread, since it may post what is not stored yet.
func (rs *Replies) idle(ctx context.Context, t bot.Thread) error {
	held, err := rs.workers.Held(ctx, t.Key())
	switch {
	case err != nil:
		return &chore.Later{After: twinsAfter, Err: fmt.Errorf("ask who works on the thread: %w", err)}
	case held:
		return &chore.Later{After: twinsAfter, Err: errors.New("the thread is busy")}
	}
	return nil
}

// isYoung reports whether a message may have been posted within the last half minute, by the platform's clock. What came late,
// but before the reply ended or soon after it, is older at the first look.
func (rs *Replies) isYoung(a bot.Adapter, message string) bool {
	d, ok := a.(bot.Dater)
	return ok && rs.now().Sub(d.Dated(message)).Abs() < twinsAfter/2
}
