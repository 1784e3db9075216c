package web

import (
	"sync"
	"time"
)

// promiseLife is how long a draft counts without a final edit: its run was taken over by
// another process, or ended with this one.
const promiseLife = 10 * time.Minute

// Promises counts the posted drafts. Each needs one more edit to show its answer, and Slack
// limits the edits a minute and workspace: a draft beyond that would delay its answer by
// minutes, whereas without a draft the answer is posted at once.
type Promises struct {
	now  func() time.Time
	most int

	mu   sync.Mutex
	open map[string]time.Time // by the draft's message
}

// NewPromises allows as many drafts as there are edits reserved for answers.
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

// Add counts a posted draft.
func (p *Promises) Add(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[message] = p.now()
}

// Kept uncounts a draft that now shows its answer.
func (p *Promises) Kept(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, message)
}
