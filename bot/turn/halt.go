package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
)

// A stop is recorded before it takes effect: a worker that resumes the run after a crash finds
// the note and ends the run with the proper message. See bot/README.md.

// halt is the stored note about a stopped run.
type halt struct {
	Why     bot.StopReason `json:"why"`               // see stopCause
	Decided []string       `json:"decided,omitempty"` // the run's approvals decided at that time
	Text    string         `json:"text,omitempty"`
	Plan    agent.Plan     `json:"plan,omitzero"` // progress as shown in the reply
}

// haltNote names the note about a run's stop.
func haltNote(run string) string { return bot.NoteHalt + run }

// halt stops the matching runs of this process, and reports whether there were any. If a stop cannot be recorded, it
// still takes effect as long as this process lives, and the error says so.
func (rs *Runs) halt(ctx context.Context, fits func(activeRun) bool, why bot.StopReason) (found bool, failed error) {
	for _, r := range rs.which(fits) {
		text, plan := r.p.Snapshot()
		failed = errors.Join(failed, rs.noteHalt(ctx, r.thread, r.p.Run, halt{Why: why, Text: text, Plan: plan}))
		r.cancel(stopCause(why))
		found = true
	}
	return found, failed
}

// haltPatience limits the wait for an unresponsive record.
const haltPatience = 2 * time.Second

// noteHalt records a stop. The note lists the approvals decided so far instead of a time, because decisions are
// dated by another clock.
func (rs *Runs) noteHalt(ctx context.Context, thread, run string, h halt) error {
	ctx, cancel := context.WithTimeout(ctx, haltPatience)
	defer cancel()
	rows, err := rs.record.RunApprovals(ctx, thread, run, approval.MaxAsked)
	if err != nil {
		return fmt.Errorf("read approvals of a stopped run: %w", err)
	}
	for _, row := range rows {
		if row.State != bot.ApprovalPending {
			h.Decided = append(h.Decided, row.ID)
		}
	}
	raw, err := json.Marshal(h)
	if err == nil {
		err = rs.record.SetNote(ctx, haltNote(run), string(raw))
	}
	if err != nil {
		return fmt.Errorf("note a stop: %w", err)
	}
	return nil
}

// stopReply stops the run of an open reply, and reports whether the run was active rather than
// waiting for a decision.
func (rs *Runs) stopReply(ctx context.Context, r bot.Reply) (bool, error) {
	if found, err := rs.halt(ctx, ofRun(r.Run), bot.StopSaid); found {
		return true, err
	}
	asks, err := rs.questions.StillAsked(ctx, r.Thread, r.Run)
	if err != nil {
		return false, fmt.Errorf("look whether a run waits: %w", err)
	}
	if len(asks) > 0 {
		return false, nil
	}
	return true, errors.Join(rs.noteHalt(ctx, r.Thread, r.Run, halt{Why: bot.StopSaid}), rs.endRun(ctx, r.Thread, r.Run, bot.StopSaid))
}

// clocksDiffer is the allowed clock skew between a platform and a replica, and among
// replicas.
const clocksDiffer = time.Minute

// haltBroken records a stop for the thread's runs that are not active here but will resume, because they
// were interrupted or have just been decided. It reports whether there are any, and whether it spared
// runs that were asked for after e.until. The transcript has times of several clocks, so a run counts as
// later only beyond clocksDiffer.
func (rs *Runs) haltBroken(ctx context.Context, thread string, why bot.StopReason, e ending) (found, newer bool, failed error) {
	over := rs.delivering(ofThread(thread)) // before reading the replies: a run stays in it until its reply is final
	open, failed := rs.openUnblocked(ctx, thread)
	for _, r := range open {
		if over[r.Run] != "" || r.Run == e.but {
			continue // over, or not matched
		}
		said, err := rs.record.Entry(ctx, thread, r.Item)
		if rs.later(r.Run, e.until) || err == nil && late(said, e.until) {
			newer = true
			continue
		}
		failed = errors.Join(failed, rs.noteHalt(ctx, thread, r.Run, halt{Why: why}))
		rs.cancelRun(r.Run, stopCause(why)) // in case it was resumed meanwhile
		found = true
	}
	return found, newer, failed
}

// late reports whether a question was asked after a time, despite clock skew; never after the zero time.
func late(e bot.Entry, until time.Time) bool {
	return !until.IsZero() && e.At.After(until.Add(clocksDiffer))
}

// openUnblocked returns the open replies of a thread whose runs wait for no decision: a stop of one that waits concerns its
// question.
func (rs *Runs) openUnblocked(ctx context.Context, thread string) (out []bot.Reply, failed error) {
	open, err := rs.record.OpenReplies(ctx, thread)
	if err != nil {
		return nil, fmt.Errorf("look for interrupted runs: %w", err)
	}
	for _, r := range open {
		asks, err := rs.questions.StillAsked(ctx, thread, r.Run)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("look whether a run waits: %w", err))
		} else if len(asks) == 0 {
			out = append(out, r)
		}
	}
	return out, failed
}

// stopLooks limits the threads checked by a stop in a channel, the newest first.
const stopLooks = 50

// haltElsewhere stops a person's runs in a channel's threads that are not active here: interrupted ones and
// those of other replicas. It reports whether there are any. Runs that wait for a decision are not
// affected.
func (rs *Runs) haltElsewhere(ctx context.Context, channel bot.Thread, user string, before bot.Bound) (found bool, failed error) {
	found, failed = rs.stopPending(ctx, bot.PendingStop{Channel: channel, Why: bot.StopSaid, User: user, Before: before.Order})
	threads, err := rs.record.Threads(ctx, channel.Platform, channel.Team, channel.Channel, stopLooks)
	if err != nil {
		return found, errors.Join(failed, fmt.Errorf("look for runs in a channel: %w", err))
	}
	for _, t := range threads {
		key := t.Thread.Key()
		open, err := rs.openUnblocked(ctx, key)
		failed = errors.Join(failed, err)
		for _, r := range open {
			if rs.Has(r.Run) {
				continue
			}
			if e, err := rs.record.Entry(ctx, key, r.Item); err != nil || e.User != user || late(e, before.At) {
				if err != nil && !errors.Is(err, bot.ErrNotFound) {
					failed = errors.Join(failed, fmt.Errorf("read a question: %w", err))
				}
				continue
			}
			failed = errors.Join(failed, rs.noteHalt(ctx, key, r.Run, halt{Why: bot.StopSaid}), rs.endRun(ctx, key, r.Run, bot.StopSaid))
			found = true
		}
	}
	return found, failed
}

// halted returns the stop that applies to the run of item it: the note of a run that resumes, or the mark of a message
// that was stopped before its run began. A stop from before the decision that the item carries does not apply.
func (rs *Runs) halted(ctx context.Context, it bot.Item, run string, decided bool) (h halt, ok bool, err error) {
	if it.Attempts == 0 && !decided {
		return halt{Why: it.Stopped}, it.Stopped != "", nil // a first attempt
	}
	note, err := rs.record.Note(ctx, haltNote(run))
	if err != nil {
		return h, false, fmt.Errorf("read note: %w", err)
	}
	ok = note != "" && json.Unmarshal([]byte(note), &h) == nil
	if row, is := strings.CutPrefix(it.ID, approval.ItemPrefix); is && decided {
		ok = ok && slices.Contains(h.Decided, row)
	}
	if note != "" && !ok {
		rs.forgetHalt(ctx, run)
	}
	if !ok && it.Stopped != "" {
		return halt{Why: it.Stopped}, true, nil
	}
	return h, ok, nil
}

// forgetHalt deletes an obsolete stop note.
func (rs *Runs) forgetHalt(ctx context.Context, run string) {
	if err := rs.record.SetNote(ctx, haltNote(run), ""); err != nil {
		rs.log.WarnContext(ctx, "the note of a stop stays", "run", run, "err", err)
	}
}
