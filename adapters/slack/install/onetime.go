package install

import (
	"context"
	"sync"
	"time"
)

// onetime lets each id through once: in this process by itself, over replicas by
// a lease that nobody else can have while the id is valid.
type onetime struct {
	leases *leases
	now    func() time.Time

	mu   sync.Mutex
	used map[string]time.Time // until when the id is valid
}

func newOnetime(l *leases, now func() time.Time) *onetime {
	return &onetime{leases: l, now: now, used: map[string]time.Time{}}
}

func usedName(id string) string { return "slack/oauth/" + id }

// take reports whether the id had not been used, and uses it. An error means
// that this is not known; it may then be tried again.
func (o *onetime) take(ctx context.Context, id string, until time.Time) (bool, error) {
	o.mu.Lock()
	_, was := o.used[id]
	o.used[id] = until
	o.mu.Unlock()
	if was || o.leases.owners == nil {
		return !was, nil
	}
	ours, err := o.leases.owners.Own(ctx, usedName(id), o.leases.owner, stateFor+time.Minute)
	if err != nil {
		o.mu.Lock()
		delete(o.used, id)
		o.mu.Unlock()
	}
	return ours, err
}

// sweep forgets ids that are valid no more.
func (o *onetime) sweep(ctx context.Context) {
	now := o.now()
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
		o.leases.disown(ctx, usedName(id))
	}
}
