package turn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"maru/bot"
)

// Stop ends a thread's runs of questions up to a bound, on any replica, and reports whether there were any. After an
// error some may go on.
func (rs *Runs) Stop(ctx context.Context, thread string, before bot.Bound) (bool, error) {
	return rs.endSome(ctx, thread, bot.StopSaid, ending{until: before.At, before: before.Order})
}

// StopSaidBy is Stop by a message. It affects earlier questions only: a late or redelivered message
// stops no run of a later question. A run is spared only if its question is known to be later, despite
// clock skew. After an error the redelivery stops the rest, and counts as what its first delivery did.
func (rs *Runs) StopSaidBy(ctx context.Context, m bot.Message) (bool, error) {
	some, whole := rs.said(m.Key())
	if whole {
		return true, nil
	}
	stopped, err := rs.endSome(ctx, m.Thread.Key(), bot.StopSaid, ending{until: m.Stamped(), before: m.Position(), item: m.Key()})
	if stopped = stopped || some; stopped {
		rs.say(m.Key(), err == nil)
	}
	return stopped, err
}

// EndAllBut ends the runs of a message's thread except its own. Failures are logged.
func (rs *Runs) EndAllBut(ctx context.Context, m bot.Message, why bot.StopReason) {
	if _, err := rs.endSome(ctx, m.Thread.Key(), why, ending{but: m.Run(), before: m.Position(), item: m.Key()}); err != nil {
		rs.log.WarnContext(ctx, "end the runs before a message", "thread", m.Thread.Key(), "err", err)
	}
}

// ending selects the runs of a thread that are to end.
type ending struct {
	until  time.Time // questions asked until then; zero: all
	but    string    // a run to spare, "" for none
	before string    // of pending messages, those up to this position; "": all
	item   string    // a pending message to spare, "" for none
}

// endSome cancels the selected runs of a thread here, or asks the replica that holds the thread. Interrupted
// runs will end when they resume.
func (rs *Runs) endSome(ctx context.Context, thread string, why bot.StopReason, e ending) (bool, error) {
	waiting, failed := rs.stopPending(ctx, bot.PendingStop{Thread: thread, Why: why, Before: e.before, But: []string{e.item}})
	found, err := rs.halt(ctx, ofThread(thread).asked(e.until).but(e.but), why)
	if failed = errors.Join(failed, err); found {
		return true, failed
	}
	broken, newer, err := rs.haltBroken(ctx, thread, why, e)
	failed = errors.Join(failed, err)
	s, ok := rs.record.(bot.Stopper)
	if !ok || newer || rs.BusyBeside(thread, "") { // a stop mark would affect all runs of the thread
		return broken || waiting, failed
	}
	found, err = s.AskStop(ctx, thread, bot.StopRequest{Reason: why, But: e.but}.String())
	if err != nil {
		failed = errors.Join(failed, fmt.Errorf("ask to stop: %w", err))
	}
	return found || broken || waiting, failed
}

// stopPending stops pending messages, and reports whether there are any. A message that a worker here has received and
// not begun to answer is stopped when its run begins, and one whose answer is being delivered is spared.
func (rs *Runs) stopPending(ctx context.Context, s bot.PendingStop) (bool, error) {
	fits := func(r activeRun) bool { return r.thread == s.Thread || s.Channel.SharesChannel(r.thread) }
	s.But = append(s.But, slices.Collect(maps.Values(rs.delivering(fits)))...)
	items, err := rs.record.StopPending(ctx, s)
	if err != nil {
		return false, fmt.Errorf("stop pending messages: %w", err)
	}
	for _, id := range items {
		if run := bot.RunID(id); !rs.Has(run) {
			rs.cancelRun(run, stopCause(s.Why))
		}
	}
	return len(items) > 0, nil
}

// EndRun cancels one run of a thread here, or asks the replica that holds the
// thread. Without that run it has no effect. Failures are logged.
func (rs *Runs) EndRun(ctx context.Context, thread, run string, why bot.StopReason) {
	if err := rs.endRun(ctx, thread, run, why); err != nil {
		rs.log.WarnContext(ctx, "end a run", "run", run, "err", err)
	}
}

func (rs *Runs) endRun(ctx context.Context, thread, run string, why bot.StopReason) error {
	s, ok := rs.record.(bot.Stopper)
	if rs.cancelRun(run, stopCause(why)) || !ok {
		return nil
	}
	if _, err := s.AskStop(ctx, thread, bot.StopRequest{Reason: why, Run: run}.String()); err != nil {
		return fmt.Errorf("ask to stop: %w", err)
	}
	return nil
}

// stopEvery is the interval at which a replica checks for stop requests, in
// case a wake-up is lost.
const stopEvery = 500 * time.Millisecond

// Watch applies stop requests of other replicas until ctx ends. It returns at once if the record
// cannot pass on stops.
func (rs *Runs) Watch(ctx context.Context) {
	s, ok := rs.record.(bot.Stopper)
	if !ok {
		return
	}
	tick := time.NewTicker(stopEvery)
	defer tick.Stop()
	var heard []bot.Stop
	for {
		select {
		case <-ctx.Done():
			return
		case <-rs.woken:
		case <-tick.C:
		}
		if rs.none() {
			continue
		}
		heard = rs.applyStops(ctx, s, heard)
	}
}

// applyStops applies new stop requests, and returns all marks that are present. A mark seen before is for a run
// that is over, and must not stop a later one.
func (rs *Runs) applyStops(ctx context.Context, s bot.Stopper, heard []bot.Stop) []bot.Stop {
	stops, err := s.Stops(ctx, rs.owner)
	if err != nil {
		if ctx.Err() == nil {
			rs.log.WarnContext(ctx, "look for stops", "err", err)
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
		var r bot.StopRequest
		if r.Scan(stop.Why); r.Run != "" {
			rs.cancelRun(r.Run, stopCause(r.Reason))
		} else {
			if _, err := rs.halt(ctx, ofThread(stop.Thread).but(r.But), r.Reason); err != nil {
				rs.log.WarnContext(ctx, "a stop was not recorded", "thread", stop.Thread, "err", err)
			}
		}
	}
	if err := s.HeardStops(ctx, stops); err != nil && ctx.Err() == nil {
		rs.log.WarnContext(ctx, "stops that were heard stay", "err", err)
	}
	return stops
}

// StopOf is Stop for a person's runs in all threads of a channel.
func (rs *Runs) StopOf(ctx context.Context, channel bot.Thread, user string, before bot.Bound) (bool, error) {
	here, failed := rs.halt(ctx, ofPerson(channel, user).asked(before.At), bot.StopSaid)
	elsewhere, err := rs.haltElsewhere(ctx, channel, user, before)
	return here || elsewhere, errors.Join(failed, err)
}
