package service

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/reply"
)

// Causes with which a run's context is cancelled.
var (
	errStop      = errors.New("bot: a person said stop")
	errWithdrawn = errors.New("bot: the message was deleted")
	errEdited    = errors.New("bot: the message was edited")

	errInterrupted = errors.New("bot: a newer message interrupted the run")
	errRolledBack  = errors.New("bot: a newer message takes the run's place")
)

// activeRuns knows the runs of this process, so that they can be stopped.
type activeRuns struct {
	mu    sync.Mutex
	runs  map[string]activeRun // by run id
	ended chan struct{}        // closed when the next run ends
	words map[string]time.Time // by message: when a word of it stopped something
	late  map[string]lateWord  // by run id: what came for one that had not begun
}

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

func newActiveRuns() *activeRuns {
	return &activeRuns{runs: map[string]activeRun{}, ended: make(chan struct{}), late: map[string]lateWord{}, words: map[string]time.Time{}}
}

// await waits until no run works in the thread, or ctx ends.
func (a *activeRuns) await(ctx context.Context, thread string) error {
	return a.until(ctx, func(_ string, r activeRun) bool { return r.thread == thread })
}

// traceWait is how long somebody who asks about a run waits for its trace: it
// is saved while the answer is delivered, and may be asked for at once.
const traceWait = time.Second

// awaitTrace waits until neither the run nor, with run "", any of the thread is
// at work, but not long.
func (a *activeRuns) awaitTrace(ctx context.Context, run, thread string) {
	ctx, cancel := context.WithTimeout(ctx, traceWait)
	defer cancel()
	_ = a.until(ctx, func(id string, r activeRun) bool { return id == run || r.thread == thread }) // what is there then is shown
}

// awaitPlace waits until no run of a channel is at work, but not long: one whose
// answer was just seen is at its end.
func (a *activeRuns) awaitPlace(ctx context.Context, place bot.Thread) {
	ctx, cancel := context.WithTimeout(ctx, traceWait)
	defer cancel()
	_ = a.until(ctx, func(_ string, r activeRun) bool { return place.SharesChannel(r.thread) }) // what is there then is told
}

// until waits until no run fits, or ctx ends.
func (a *activeRuns) until(ctx context.Context, fits func(id string, r activeRun) bool) error {
	for {
		a.mu.Lock()
		ended, busy := a.ended, false
		for id, r := range a.runs {
			busy = busy || fits(id, r)
		}
		a.mu.Unlock()
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
func (a *activeRuns) begin(ctx context.Context, thread, user string, p *reply.Presenter) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	run := p.Run
	a.mu.Lock()
	a.runs[run] = activeRun{thread: thread, user: user, cancel: cancel, p: p}
	word, came := a.late[run]
	delete(a.late, run)
	a.mu.Unlock()
	if came {
		cancel(word.cause)
	}
	return ctx, func() {
		a.mu.Lock()
		delete(a.runs, run)
		close(a.ended)
		a.ended = make(chan struct{})
		a.mu.Unlock()
		cancel(nil)
	}
}

// delivers notes that a run's agent is done. A word of stop that comes from here on stops
// nothing, and is told so: who waits for a word would wait in vain.
func (a *activeRuns) delivers(run string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r, ok := a.runs[run]; ok {
		r.over = true
		a.runs[run] = r
	}
}

// delivering are the runs of a thread whose agents are done and whose answers are on their way.
func (a *activeRuns) delivering(thread string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []string
	for run, r := range a.runs {
		if r.over && r.thread == thread {
			list = append(list, run)
		}
	}
	return list
}

// has reports whether a run is at work in this process.
func (a *activeRuns) has(run string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.runs[run]
	return ok
}

// other reports whether another run than this one is at work in a thread here.
func (a *activeRuns) other(thread, run string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, r := range a.runs {
		if r.thread == thread && id != run {
			return true
		}
	}
	return false
}

// none reports whether no run is at work in this process.
func (a *activeRuns) none() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.runs) == 0
}

// cancelRun ends a run here, or as soon as it begins, and reports whether it is at
// work.
func (a *activeRuns) cancelRun(run string, cause error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.runs[run]
	if ok {
		r.cancel(cause)
		return true
	}
	now := time.Now()
	for id, w := range a.late {
		if now.Sub(w.at) > lateKept {
			delete(a.late, id)
		}
	}
	a.late[run] = lateWord{cause: cause, at: now}
	return false
}

// expect forgets what came for a run whose question is about to be read: the
// question says it itself.
func (a *activeRuns) expect(run string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.late, run)
}

func (a *activeRuns) cancelThread(thread string, cause error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := false
	for _, r := range a.runs {
		if r.thread == thread {
			r.cancel(cause)
			found = true
		}
	}
	return found
}

// count returns how many runs work in a thread, or with none named in its channel.
func (a *activeRuns) count(t bot.Thread) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, r := range a.runs {
		if r.thread == t.Key() || t.ID == "" && t.SharesChannel(r.thread) {
			n++
		}
	}
	return n
}

// which returns the runs that fit and whose agents are at work.
func (a *activeRuns) which(fits func(activeRun) bool) []activeRun {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []activeRun
	for _, r := range a.runs {
		if !r.over && fits(r) {
			list = append(list, r)
		}
	}
	return list
}

// wordsKept is how long a word of stop is known again that is delivered once more.
const wordsKept = time.Hour

// said reports whether a message has stopped something.
func (a *activeRuns) said(message string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.words[message]
	return ok
}

// say keeps that a message has stopped something.
func (a *activeRuns) say(message string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(a.words, func(_ string, at time.Time) bool { return now.Sub(at) > wordsKept })
	a.words[message] = now
}

// someRuns says which runs are meant.
type someRuns func(activeRun) bool

// ofThread fits the runs of a thread.
func ofThread(thread string) someRuns {
	return func(r activeRun) bool { return r.thread == thread }
}

// asked narrows it to what was asked until a moment, or nobody knows when; zero: it
// does not.
func (f someRuns) asked(until time.Time) someRuns {
	return func(r activeRun) bool { return f(r) && (until.IsZero() || !r.p.Asked.After(until)) }
}

// but narrows it to all but one run; "": it does not.
func (f someRuns) but(run string) someRuns {
	return func(r activeRun) bool { return f(r) && (run == "" || r.p.Run != run) }
}

// later reports whether a run is at work here whose question is later than a moment.
func (a *activeRuns) later(run string, until time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.runs[run]
	return ok && !someRuns(ofRun(run)).asked(until)(r)
}

// ofRun fits one run.
func ofRun(run string) func(activeRun) bool {
	return func(r activeRun) bool { return r.p.Run == run }
}

// ofPerson fits a person's runs in all threads of a channel.
func ofPerson(channel bot.Thread, user string) func(activeRun) bool {
	return func(r activeRun) bool { return r.user == user && channel.SharesChannel(r.thread) }
}

// drafts returns what the replies of the thread's runs show right now.
func (a *activeRuns) drafts(thread string) []bot.PostedCard {
	a.mu.Lock()
	defer a.mu.Unlock()
	var cards []bot.PostedCard
	for _, r := range a.runs {
		if r.thread == thread {
			cards = append(cards, r.p.Shown())
		}
	}
	return cards
}

// cancelTeam cancels the runs of all threads of a workspace.
func (a *activeRuns) cancelTeam(team string, cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.runs {
		if strings.HasPrefix(r.thread, team+"/") {
			r.cancel(cause)
		}
	}
}
