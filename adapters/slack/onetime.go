package slack

import (
	"context"
	"sync"
	"time"
)

// onetime lets each id through once: in this process by itself, over replicas by
// a lease that nobody else can have while the id is valid.
type onetime struct {
	p *App

	mu   sync.Mutex
	used map[string]time.Time // until when the id is valid
}

func newOnetime(p *App) *onetime { return &onetime{p: p, used: map[string]time.Time{}} }

func usedName(id string) string { return "slack/oauth/" + id }

// take reports whether the id had not been used, and uses it. An error means
// that this is not known; it may then be tried again.
func (o *onetime) take(ctx context.Context, id string, until time.Time) (bool, error) {
	o.mu.Lock()
	_, was := o.used[id]
	o.used[id] = until
	o.mu.Unlock()
	if was || o.p.app.Owners == nil {
		return !was, nil
	}
	ours, err := o.p.app.Owners.Own(ctx, usedName(id), o.p.app.Owner, stateFor+time.Minute)
	if err != nil {
		o.mu.Lock()
		delete(o.used, id)
		o.mu.Unlock()
	}
	return ours, err
}

// sweep forgets ids that are valid no more.
func (o *onetime) sweep(ctx context.Context) {
	now := o.p.cfg.Now()
	var over []string
	o.mu.Lock()
	for id, until := range o.used {
		if now.After(until.Add(time.Minute)) {
			over = append(over, id)
			delete(o.used, id)
		}
	}
	o.mu.Unlock()
	for _, id := range over {
		o.p.disown(ctx, usedName(id))
	}
}
