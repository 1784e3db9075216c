package turn

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"maru/bot"
	"maru/bot/reply"
)

// lateWord is a stop request for a run that has not started yet.
type lateWord struct {
	cause error
	at    time.Time
}

// lateKept is how long a stop request is kept for a run that may never start here.
const lateKept = time.Minute

type activeRun struct {
	thread string
	item   string // being processed
	user   string // who asked
	cancel context.CancelCauseFunc
	p      *reply.Presenter // renders its reply
	over   bool             // the agent is done and the answer is being delivered
}

// Await waits until the thread has no active run here, or ctx ends.
func (rs *Runs) Await(ctx context.Context, thread string) error {
	return rs.until(ctx, func(_ string, r activeRun) bool { return r.thread == thread })
}

// traceWait limits the wait for a run's trace, which is saved while the answer is delivered and may be
// requested right away.
const traceWait = time.Second

// AwaitTrace waits, at most traceWait, until the run is over; with run "", until all runs of the
// thread are.
func (rs *Runs) AwaitTrace(ctx context.Context, run, thread string) {
	ctx, cancel := context.WithTimeout(ctx, traceWait)
	defer cancel()
	_ = rs.until(ctx, func(id string, r activeRun) bool { return id == run || r.thread == thread }) // on a time-out the caller shows what is saved
}

// awaitChannel waits, at most traceWait, until the channel has no active run: a run whose answer
// is visible already ends within moments.
func (rs *Runs) awaitChannel(ctx context.Context, place bot.Thread) {
	ctx, cancel := context.WithTimeout(ctx, traceWait)
	defer cancel()
	_ = rs.until(ctx, func(_ string, r activeRun) bool { return place.SharesChannel(r.thread) }) // on a time-out the caller reports what is saved
}

// until waits until no active run matches fits, or ctx ends.
func (rs *Runs) until(ctx context.Context, fits func(id string, r activeRun) bool) error {
	for {
		rs.mu.Lock()
		ended, busy := rs.ended, false
		for id, r := range rs.runs {
			busy = busy || fits(id, r)
		}
		rs.mu.Unlock()
		if !busy {
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// begin registers the run whose reply p shows; the returned func ends it.
func (rs *Runs) begin(ctx context.Context, it bot.Item, user string, p *reply.Presenter) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	run := p.Run
	rs.mu.Lock()
	rs.runs[run] = activeRun{thread: it.Thread, item: it.ID, user: user, cancel: cancel, p: p}
	word, came := rs.late[run]
	delete(rs.late, run)
	rs.mu.Unlock()
	if came && time.Since(word.at) < lateKept {
		cancel(word.cause)
	}
	return ctx, func() {
		rs.mu.Lock()
		delete(rs.runs, run)
		close(rs.ended)
		rs.ended = make(chan struct{})
		rs.mu.Unlock()
		cancel(nil)
	}
}

// delivers notes that a run's agent is done. A later stop request no longer affects the run, and its author is
// told so.
func (rs *Runs) delivers(run string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r, ok := rs.runs[run]; ok {
		r.over = true
		rs.runs[run] = r
	}
}

// delivering returns the matching runs whose answers are being delivered, and their items.
func (rs *Runs) delivering(fits func(activeRun) bool) map[string]string {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	items := map[string]string{}
	for run, r := range rs.runs {
		if r.over && fits(r) {
			items[run] = r.item
		}
	}
	return items
}

// Answered returns the items of a thread whose answers are being delivered.
func (rs *Runs) Answered(thread string) []string {
	return slices.Collect(maps.Values(rs.delivering(ofThread(thread))))
}

// Has reports whether a run is active in this process.
func (rs *Runs) Has(run string) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	_, ok := rs.runs[run]
	return ok
}

// BusyBeside reports whether the thread has an active run here other than the given one.
func (rs *Runs) BusyBeside(thread, run string) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for id, r := range rs.runs {
		if r.thread == thread && id != run {
			return true
		}
	}
	return false
}

// none reports whether this process has no active run.
func (rs *Runs) none() bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return len(rs.runs) == 0
}

// cancelRun cancels a run, at its start if it has not started yet, and reports whether it is active.
func (rs *Runs) cancelRun(run string, cause error) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok := rs.runs[run]
	if ok {
		r.cancel(cause)
		return true
	}
	now := time.Now()
	maps.DeleteFunc(rs.late, func(_ string, w lateWord) bool { return now.Sub(w.at) > lateKept })
	if !isPersons(rs.late[run].cause) { // an edit does not undo a stop
		rs.late[run] = lateWord{cause: cause, at: now}
	}
	return false
}

// expect discards an edit of a question that is about to be read: the stored question reflects it. A stop remains, except
// for a run that resumes with a decision: one from after the decision is noted, see halted.
func (rs *Runs) expect(run string, decided bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if decided || errors.Is(rs.late[run].cause, errEdited) {
		delete(rs.late, run)
	}
}

// cancelSome cancels the matching runs.
func (rs *Runs) cancelSome(fits func(activeRun) bool, cause error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.runs {
		if fits(r) {
			r.cancel(cause)
		}
	}
}

// Running returns the number of active runs in a thread, or in its channel if the thread has no ID.
func (rs *Runs) Running(t bot.Thread) int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	n := 0
	for _, r := range rs.runs {
		if r.thread == t.Key() || t.ID == "" && t.SharesChannel(r.thread) {
			n++
		}
	}
	return n
}
