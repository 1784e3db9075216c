package install

import (
	"context"
	"sync"
	"time"
)

// onetime accepts each ID once: within this process by a map, across replicas by a lease that
// nobody else can get while the ID is valid.
type onetime struct {
	leases *leases
	now    func() time.Time

	mu   sync.Mutex
	used map[string]time.Time // by ID: end of its validity
}

func newOnetime(l *leases, now func() time.Time) *onetime {
	return &onetime{leases: l, now: now, used: map[string]time.Time{}}
}

func usedName(id string) string { return "slack/oauth/" + id }

// claim reports whether the ID was unused, and marks it used. On an error the answer is
// unknown, and the call may be retried.
func (o *onetime) claim(ctx context.Context, id string, until time.Time) (bool, error) {
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

// sweep removes expired IDs.
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
