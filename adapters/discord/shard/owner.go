package shard

import (
	"context"
	"sync"
	"time"

	"maru/adapters/discord/wire"
)

// Owners leases names to owners across all replicas.
type Owners interface {
	// Own leases name to owner for ttl or renews its lease; false means that another owner
	// holds it.
	Own(ctx context.Context, name, owner string, ttl time.Duration) (bool, error)
	// Disown ends owner's lease at once and leaves another owner's alone.
	Disown(ctx context.Context, name, owner string) error
	// Owned returns the current owners by name, without names that nobody holds.
	Owned(ctx context.Context, names []string) (map[string]string, error)
}

// The length of a lease and how often it is renewed or requested. After a crash
// another replica connects within the sum of both.
const (
	ownFor   = 15 * time.Second
	ownEvery = 4 * time.Second
)

// leasePrefix returns the prefix of the lease names of one bot's replicas.
func leasePrefix(token string) string { return "discord/" + wire.Digest(token) }

// ownShard runs f while this process owns a shard, with a context that ends with the
// ownership, and then waits for the shard again. It returns when ctx ends or f fails.
func (m *Manager) ownShard(ctx context.Context, d *division, shard int, name string, f func(context.Context) error) error {
	for ctx.Err() == nil {
		news := d.changed()
		if !d.claim(shard, m.now()) || !m.acquireLease(ctx, name) {
			d.drop(shard)
			m.links.wait()
			select {
			case <-ctx.Done():
			case <-news:
			}
			continue
		}
		held, cancel := context.WithCancel(ctx)
		d.hold(shard, cancel)
		var keeping sync.WaitGroup
		keeping.Go(func() {
			defer cancel()
			m.renewLease(held, name)
		})
		err := f(held)
		cancel()
		keeping.Wait()
		d.drop(shard)
		m.releaseLease(ctx, name)
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Manager) acquireLease(ctx context.Context, name string) bool {
	ok, err := m.owners.Own(ctx, name, m.id, ownFor)
	if err != nil && ctx.Err() == nil {
		m.log.WarnContext(ctx, "discord shard not asked for", "err", err)
	}
	return ok && err == nil
}

// renewLease renews a lease until another replica has it, ctx ends, or renewals have failed
// for so long that the lease may have expired.
func (m *Manager) renewLease(ctx context.Context, name string) {
	until := m.now().Add(ownFor)
	for m.wait(ctx, ownEvery) == nil {
		asked := m.now()
		ok, err := m.owners.Own(ctx, name, m.id, ownFor)
		switch {
		case err == nil && ok:
			until = asked.Add(ownFor)
		case err == nil, m.now().Add(ownEvery).After(until):
			m.log.WarnContext(ctx, "discord shard is another replica's now", "err", err)
			return
		}
	}
}

func (m *Manager) releaseLease(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := m.owners.Disown(ctx, name, m.id); err != nil {
		m.log.WarnContext(ctx, "discord shard not given up", "err", err)
	}
}
