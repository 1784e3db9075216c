package shard

import (
	"context"
	"sync"
	"time"

	"maru/adapters/discord/wire"
)

// Owners makes sure that a thing has one owner over all replicas.
type Owners interface {
	// Own makes name owner's for ttl, or prolongs that; false says that another
	// has it.
	Own(ctx context.Context, name, owner string, ttl time.Duration) (bool, error)
	// Disown ends it at once; of what is another's it leaves everything.
	Disown(ctx context.Context, name, owner string) error
	// Owned returns who owns these now, by name, without those that nobody owns.
	Owned(ctx context.Context, names []string) (map[string]string, error)
}

// How long an ownership lasts, and how often it is prolonged or asked for: after
// a crash another replica connects within the sum of both.
const (
	ownFor   = 15 * time.Second
	ownEvery = 4 * time.Second
)

// deed begins the names of what one bot's replicas own.
func deed(token string) string { return "discord/" + wire.Digest(token) }

// own runs f while a shard is this process's, with a context that ends when it is
// no more; then it waits for its turn again. It ends with ctx, or when f failed.
func (m *Manager) own(ctx context.Context, d *division, shard int, name string, f func(context.Context) error) error {
	for ctx.Err() == nil {
		news := d.hear()
		if !d.claim(shard, m.now()) || !m.owns(ctx, name) {
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
			m.keep(held, name)
		})
		err := f(held)
		cancel()
		keeping.Wait()
		d.drop(shard)
		m.disown(ctx, name)
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *Manager) owns(ctx context.Context, name string) bool {
	ok, err := m.owners.Own(ctx, name, m.id, ownFor)
	if err != nil && ctx.Err() == nil {
		m.log.WarnContext(ctx, "discord shard not asked for", "err", err)
	}
	return ok && err == nil
}

// keep prolongs an ownership until it is another's, ctx ends, or nobody knows
// for so long that it may be another's.
func (m *Manager) keep(ctx context.Context, name string) {
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

func (m *Manager) disown(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := m.owners.Disown(ctx, name, m.id); err != nil {
		m.log.WarnContext(ctx, "discord shard not given up", "err", err)
	}
}
