package reply

import (
	"encoding/json"
	"strings"
	"sync"

	"maru/agent"
	"maru/bot"
)

// feeds stores the followable runs of this process.
type feeds struct {
	mu       sync.Mutex
	runs     map[string]*feed // by run
	followed map[string]map[chan struct{}]struct{}
}

type feed struct {
	bot.Feed
	text    strings.Builder
	changed bool // since the last publication
}

func newFeeds() *feeds {
	return &feeds{runs: map[string]*feed{}, followed: map[string]map[chan struct{}]struct{}{}}
}

// begin opens a run's feed.
func (f *feeds) begin(run, thread, life string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs[run] = &feed{Feed: bot.Feed{Run: run, Thread: thread, Life: life}, changed: true}
	f.wake(run)
}

// event applies a run's event to its feed.
func (f *feeds) event(run string, e agent.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[run]
	if r == nil {
		return
	}
	switch e.Kind {
	case agent.EventToken:
		r.text.WriteString(e.Text)
	case agent.EventReset:
		r.text.Reset()
		r.Reset++
	case agent.EventStatus:
		r.Status = e.Text
	case agent.EventPlan:
		var plan agent.Plan
		if json.Unmarshal(e.Data, &plan) != nil {
			return
		}
		r.Plan = plan
	default:
		return
	}
	r.changed = true
	f.wake(run)
}

// end closes a run's feed; from now on the record has its state.
func (f *feeds) end(run string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.runs, run)
	f.wake(run)
}

// of returns the feed of a run that is active here.
func (f *feeds) of(run string) (bot.Feed, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[run]
	if r == nil {
		return bot.Feed{}, false
	}
	return r.now(), true
}

// now returns the feed with its text.
func (r *feed) now() bot.Feed {
	f := r.Feed
	f.Text = r.text.String()
	return f
}

// news returns the feed of a run if it has changed since news was last called.
func (f *feeds) news(run string) (bot.Feed, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[run]
	if r == nil || !r.changed {
		return bot.Feed{}, false
	}
	r.changed = false
	return r.now(), true
}

// watch returns a channel that receives a token on every change of a run, and a function that ends
// the watch.
func (f *feeds) watch(run string) (woken <-chan struct{}, leave func()) {
	ch := make(chan struct{}, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followed[run] == nil {
		f.followed[run] = map[chan struct{}]struct{}{}
	}
	f.followed[run][ch] = struct{}{}
	return ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.followed[run], ch)
		if len(f.followed[run]) == 0 {
			delete(f.followed, run)
		}
	}
}

// wake notifies the followers of a run. The caller holds mu.
func (f *feeds) wake(run string) {
	for ch := range f.followed[run] {
		select {
		case ch <- struct{}{}:
		default: // it has not read the last wake-up yet
		}
	}
}
