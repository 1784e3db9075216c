package slack

import (
	"sync"
	"time"
)

// promiseLife is how long a draft is counted whose last edit never comes: its run
// was taken over by another process, or ended with this one.
const promiseLife = 10 * time.Minute

// promises counts the drafts that stand as messages. Each has to be edited once
// more, to show its answer, and Slack takes only so many edits a minute in a
// workspace: a draft beyond that would keep its answer waiting for minutes, which
// without it is posted at once.
type promises struct {
	now  func() time.Time
	most int

	mu   sync.Mutex
	open map[string]time.Time // by the draft's message
}

// newPromises allows as many as the edits that are kept for answers.
func newPromises(now func() time.Time) *promises {
	t := tiers()[methodUpdate]
	return &promises{now: now, most: t.most - t.drafts, open: map[string]time.Time{}}
}

// room reports whether one more draft may be posted.
func (p *promises) room() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for id, at := range p.open {
		if now.Sub(at) > promiseLife {
			delete(p.open, id)
		}
	}
	return len(p.open) < p.most
}

func (p *promises) add(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[message] = p.now()
}

// kept forgets a draft that shows its answer.
func (p *promises) kept(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, message)
}
