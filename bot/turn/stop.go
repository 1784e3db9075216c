package turn

import (
	"context"
	"slices"
	"time"

	"maru/bot"
)

// Stop ends what runs in a thread, on whichever replica, and reports whether
// there was something to stop.
func (rs *Runs) Stop(ctx context.Context, thread string) bool {
	return rs.endSome(ctx, thread, bot.StopSaid, ending{})
}

// StopSaidBy is Stop by a word. It is for what was asked before it was said: one that
// comes late, or is delivered again, stops no run of a later question. What is not
// known to be later, since no one clock dated both, is stopped.
func (rs *Runs) StopSaidBy(ctx context.Context, m bot.Message) bool {
	if !rs.said(m.Key()) && rs.endSome(ctx, m.Thread.Key(), bot.StopSaid, ending{until: m.Stamped()}) {
		rs.say(m.Key())
		return true
	}
	return false
}

// EndAllBut ends what a thread is at work on but one run, which may be at work by now.
func (rs *Runs) EndAllBut(ctx context.Context, thread, run string, why bot.StopReason) {
	rs.endSome(ctx, thread, why, ending{but: run})
}

// ending narrows what of a thread is to end.
type ending struct {
	until time.Time // what was asked until then; zero: all
	but   string    // a run that is not meant, "" for none
}

// endSome cancels some of what a thread is at work on here, or asks the replica that has
// it. What was broken off and is to go on will not.
func (rs *Runs) endSome(ctx context.Context, thread string, why bot.StopReason, e ending) bool {
	if rs.halt(ctx, ofThread(thread).asked(e.until).but(e.but), why) {
		return true
	}
	broken, newer := rs.haltBroken(ctx, thread, why, e)
	s, ok := rs.record.(bot.Stopper)
	if !ok || newer || rs.BusyBeside(thread, "") { // a mark is for whatever the thread is at work on
		return broken
	}
	found, err := s.AskStop(ctx, thread, bot.StopRequest{Reason: why, But: e.but}.String())
	if err != nil {
		rs.log.WarnContext(ctx, "ask to stop", "err", err)
	}
	return found || broken
}

// EndRun cancels one run of a thread here, or asks the replica that has the
// thread. A run that is not at work there is not harmed.
func (rs *Runs) EndRun(ctx context.Context, thread, run string, why bot.StopReason) {
	s, ok := rs.record.(bot.Stopper)
	if rs.cancelRun(run, stopCause(why)) || !ok {
		return
	}
	if _, err := s.AskStop(ctx, thread, bot.StopRequest{Reason: why, Run: run}.String()); err != nil {
		rs.log.WarnContext(ctx, "ask to stop a run", "run", run, "err", err)
	}
}

// stopEvery is how often a replica looks whether it is asked to stop a run, in
// case nobody wakes it.
const stopEvery = 500 * time.Millisecond

// Watch stops the runs that other replicas ask this one to stop, until ctx ends. With a
// record that passes no stops on it returns at once.
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

// applyStops stops what the replica is asked to stop and has not heard of, and returns
// the marks that stand there still: told once more, they are for runs that are over,
// and may not stop those that came after.
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
			rs.halt(ctx, ofThread(stop.Thread).but(r.But), r.Reason)
		}
	}
	if err := s.HeardStops(ctx, stops); err != nil && ctx.Err() == nil {
		rs.log.WarnContext(ctx, "stops that were heard stay", "err", err)
	}
	return stops
}

// StopOf stops what a person has running in the threads of a channel, on every replica.
func (rs *Runs) StopOf(ctx context.Context, channel bot.Thread, user string) bool {
	here, elsewhere := rs.halt(ctx, ofPerson(channel, user), bot.StopSaid), rs.haltElsewhere(ctx, channel, user)
	return here || elsewhere
}
