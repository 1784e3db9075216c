package web

import (
	"sync"
	"time"
)

// promiseLife is how long a draft is counted whose last edit never comes: its run
// was taken over by another process, or ended with this one.
const promiseLife = 10 * time.Minute

// Promises counts the drafts that stand as messages. Each has to be edited once
// more, to show its answer, and Slack takes only so many edits a minute in a
// workspace: a draft beyond that would keep its answer waiting for minutes, which
// without it is posted at once.
type Promises struct {
	now  func() time.Time
	most int

	mu   sync.Mutex
	open map[string]time.Time // by the draft's message
}

// NewPromises allows as many as the edits that are kept for answers.
func NewPromises(now func() time.Time) *Promises {
	t := tiers()[MethodUpdate]
	return &Promises{now: now, most: t.most - t.drafts, open: map[string]time.Time{}}
}

// Room reports whether one more draft may be posted.
func (p *Promises) Room() bool {
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

// Add counts a draft that stands as a message.
func (p *Promises) Add(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[message] = p.now()
}

// Kept forgets a draft that shows its answer.
func (p *Promises) Kept(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, message)
}
