package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
)

// A stop is noted before it takes effect: whoever goes on with the run after a
// crash finds the note, and ends the run with the words that were due. See
// bot/README.md.

// halt is the note of a stopped run.
type halt struct {
	Why     bot.StopReason `json:"why"`               // as replicas tell each other, see stopCause
	Decided []string       `json:"decided,omitempty"` // the run's approvals that waited for nobody then
	Text    string         `json:"text,omitempty"`
	Plan    agent.Plan     `json:"plan,omitzero"` // how far its reply showed it to be
}

// haltNote names the note of a run's stop.
func haltNote(run string) string { return "halt/" + run }

// halt stops the runs of this process that fit, and reports whether there were
// any.
func (rs *Runs) halt(ctx context.Context, fits func(activeRun) bool, why bot.StopReason) bool {
	runs := rs.which(fits)
	for _, r := range runs {
		text, plan := r.p.Snapshot()
		rs.noteHalt(ctx, r.thread, r.p.Run, halt{Why: why, Text: text, Plan: plan})
		r.cancel(stopCause(why))
	}
	return len(runs) > 0
}

// haltPatience is how long a stop waits for a record that does not answer.
const haltPatience = 2 * time.Second

// noteHalt notes a stop. One that cannot be noted still takes effect, as long as
// this process lives. The note names what was decided by then, and no time: that of a
// decision is by another clock.
func (rs *Runs) noteHalt(ctx context.Context, thread, run string, h halt) {
	ctx, cancel := context.WithTimeout(ctx, haltPatience)
	defer cancel()
	rows, err := rs.record.RunApprovals(ctx, thread, run, approval.MaxAsked)
	if err != nil {
		rs.log.WarnContext(ctx, "read approvals of a stopped run", "run", run, "err", err)
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
		rs.log.WarnContext(ctx, "a stop is not noted", "run", run, "err", err)
	}
}

// stopReply stops the run of a reply that is open, and reports whether there was
// something to stop: one that waits for a decision is at work on nothing.
func (rs *Runs) stopReply(ctx context.Context, r bot.Reply) bool {
	if rs.halt(ctx, ofRun(r.Run), bot.StopSaid) {
		return true
	}
	if asks, err := rs.questions.StillAsked(ctx, r.Thread, r.Run); err != nil || len(asks) > 0 {
		return false
	}
	rs.noteHalt(ctx, r.Thread, r.Run, halt{Why: bot.StopSaid})
	rs.EndRun(ctx, r.Thread, r.Run, bot.StopSaid)
	return true
}

// clocksDiffer is how far a platform's clock may be from ours, and those of replicas
// from each other.
const clocksDiffer = time.Minute

// haltBroken notes a stop for the runs of a thread on which nobody here is at
// work and which will go on: they were broken off, or were decided a moment ago.
// It reports whether there are any, and whether there are some that were asked for
// after e.until, which it leaves: the transcript has times of several clocks, so only what
// is later by more than they may differ.
func (rs *Runs) haltBroken(ctx context.Context, thread string, why bot.StopReason, e ending) (found, newer bool) {
	over := rs.delivering(thread) // before the replies are read: it ends after its own is final
	open, err := rs.record.OpenReplies(ctx, thread)
	if err != nil {
		rs.log.WarnContext(ctx, "look for what was broken off", "thread", thread, "err", err)
	}
	for _, r := range open {
		if asks, err := rs.questions.StillAsked(ctx, thread, r.Run); err != nil || len(asks) > 0 {
			continue // it waits: the word is for its question
		}
		if slices.Contains(over, r.Run) || r.Run == e.but {
			continue // nothing is left to stop, or it is not meant
		}
		if rs.later(r.Run, e.until) {
			newer = true
			continue
		}
		if said, err := rs.record.Entry(ctx, thread, r.Item); err == nil && !e.until.IsZero() && said.At.After(e.until.Add(clocksDiffer)) {
			newer = true
			continue
		}
		rs.noteHalt(ctx, thread, r.Run, halt{Why: why})
		rs.cancelRun(r.Run, stopCause(why)) // if somebody took it up meanwhile
		found = true
	}
	return found, newer
}

// stopLooks is how many threads of a channel a stop that names none looks at, the
// newest first.
const stopLooks = 50

// haltElsewhere stops what a person asked for in a channel's threads and what nobody
// here is at work on: it was broken off, or another replica has it. It reports whether
// there is any. What waits for a decision is none of it.
func (rs *Runs) haltElsewhere(ctx context.Context, channel bot.Thread, user string) bool {
	threads, err := rs.record.Threads(ctx, channel.Platform, channel.Team, channel.Channel, stopLooks)
	if err != nil {
		rs.log.WarnContext(ctx, "look for what runs in a channel", "channel", channel.Channel, "err", err)
	}
	found := false
	for _, t := range threads {
		key := t.Thread.Key()
		open, err := rs.record.OpenReplies(ctx, key)
		if err != nil {
			rs.log.WarnContext(ctx, "look for what was broken off", "thread", key, "err", err)
		}
		for _, r := range open {
			if asks, err := rs.questions.StillAsked(ctx, key, r.Run); err != nil || len(asks) > 0 || rs.Has(r.Run) {
				continue
			}
			if e, err := rs.record.Entry(ctx, key, r.Item); err != nil || e.User != user {
				continue
			}
			rs.noteHalt(ctx, key, r.Run, halt{Why: bot.StopSaid})
			rs.EndRun(ctx, key, r.Run, bot.StopSaid)
			found = true
		}
	}
	return found
}

// halted returns the note of a stop of a run that goes on with item it, after
// a decision or not. What was said before people decided was about something else.
func (rs *Runs) halted(ctx context.Context, it bot.Item, run string, decided bool) (h halt, ok bool, err error) {
	if it.Attempts == 0 && !decided {
		return h, false, nil // it begins
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
	return h, ok, nil
}

// forgetHalt takes the note of a stop away that has nothing to say any more.
func (rs *Runs) forgetHalt(ctx context.Context, run string) {
	if err := rs.record.SetNote(ctx, haltNote(run), ""); err != nil {
		rs.log.WarnContext(ctx, "the note of a stop stays", "run", run, "err", err)
	}
}
