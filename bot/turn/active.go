package turn

import (
	"context"
	"time"

	"maru/bot"
	"maru/bot/reply"
)

// lateWord is why a run is to end that has not begun.
type lateWord struct {
	cause error
	at    time.Time
}

// lateKept is how long a word is kept for a run that may never begin here.
const lateKept = time.Minute

type activeRun struct {
	thread string
	user   string // who asked
	cancel context.CancelCauseFunc
	p      *reply.Presenter // of its reply
	over   bool             // its agent is done: what is left is to deliver the answer
}

// Await waits until no run works in the thread, or ctx ends.
func (rs *Runs) Await(ctx context.Context, thread string) error {
	return rs.until(ctx, func(_ string, r activeRun) bool { return r.thread == thread })
}

// traceWait is how long somebody who asks about a run waits for its trace: it
// is saved while the answer is delivered, and may be asked for at once.
const traceWait = time.Second

// AwaitTrace waits until neither the run nor, with run "", any of the thread is
// at work, but not long.
func (rs *Runs) AwaitTrace(ctx context.Context, run, thread string) {
	ctx, cancel := context.WithTimeout(ctx, traceWait)
	defer cancel()
	_ = rs.until(ctx, func(id string, r activeRun) bool { return id == run || r.thread == thread }) // what is there then is shown
}

// awaitChannel waits until no run of a channel is at work, but not long: one whose
// answer was just seen is at its end.
func (rs *Runs) awaitChannel(ctx context.Context, place bot.Thread) {
	ctx, cancel := context.WithTimeout(ctx, traceWait)
	defer cancel()
	_ = rs.until(ctx, func(_ string, r activeRun) bool { return place.SharesChannel(r.thread) }) // what is there then is told
}

// until waits until no run fits, or ctx ends.
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
func (rs *Runs) begin(ctx context.Context, thread, user string, p *reply.Presenter) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	run := p.Run
	rs.mu.Lock()
	rs.runs[run] = activeRun{thread: thread, user: user, cancel: cancel, p: p}
	word, came := rs.late[run]
	delete(rs.late, run)
	rs.mu.Unlock()
	if came {
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

// delivers notes that a run's agent is done. A word of stop that comes from here on stops
// nothing, and is told so: who waits for a word would wait in vain.
func (rs *Runs) delivers(run string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r, ok := rs.runs[run]; ok {
		r.over = true
		rs.runs[run] = r
	}
}

// delivering are the runs of a thread whose agents are done and whose answers are on their way.
func (rs *Runs) delivering(thread string) []string {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var list []string
	for run, r := range rs.runs {
		if r.over && r.thread == thread {
			list = append(list, run)
		}
	}
	return list
}

// Has reports whether a run is at work in this process.
func (rs *Runs) Has(run string) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	_, ok := rs.runs[run]
	return ok
}

// BusyBeside reports whether another run than this one is at work in a thread here.
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

// none reports whether no run is at work in this process.
func (rs *Runs) none() bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return len(rs.runs) == 0
}

// cancelRun ends a run here, or as soon as it begins, and reports whether it is at
// work.
func (rs *Runs) cancelRun(run string, cause error) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok := rs.runs[run]
	if ok {
		r.cancel(cause)
		return true
	}
	now := time.Now()
	for id, w := range rs.late {
		if now.Sub(w.at) > lateKept {
			delete(rs.late, id)
		}
	}
	rs.late[run] = lateWord{cause: cause, at: now}
	return false
}

// expect forgets what came for a run whose question is about to be read: the
// question says it itself.
func (rs *Runs) expect(run string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	delete(rs.late, run)
}

func (rs *Runs) cancelThread(thread string, cause error) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	found := false
	for _, r := range rs.runs {
		if r.thread == thread {
			r.cancel(cause)
			found = true
		}
	}
	return found
}

// Running returns how many runs work in a thread, or with none named in its channel.
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
