package shard

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	seatFor    = 11 * time.Second // a seat expires before the shards of a dead replica do
	settleFor  = 30 * time.Second // replicas must be stable for so long before a shard moves
	leftAfter  = 12 * time.Second // a shard without an owner for so long may be taken beyond the fair share
	withoutFor = time.Minute      // a replica does not take back a shard it gave up for so long
)

// division shares the shards among the replicas. No replica takes more than its fair
// share, and one that has two more than another gives one up, which the other takes.
// See docs/decisions/0424.
type division struct {
	mu      sync.Mutex
	shards  int
	looked  bool                       // the fields below are known
	others  map[string]int             // by replica: its number of shards
	since   time.Time                  // since when the set of replicas is unchanged
	free    map[int]time.Time          // by shard: since when it has no owner
	gave    map[int]time.Time          // by shard: when this replica gave it up
	holding map[int]context.CancelFunc // by own shard: releases it
	news    chan struct{}              // closed when ownership was read again
}

func newDivision(shards int) *division {
	return &division{
		shards: shards, news: make(chan struct{}),
		free: map[int]time.Time{}, gave: map[int]time.Time{}, holding: map[int]context.CancelFunc{},
	}
}

// shares lists the current owners of seats and shards.
type shares struct {
	seats  map[int]string
	shards map[int]string
}

// shardName and seatName name what replicas own.
func shardName(base string, shard, shards int) string {
	return fmt.Sprintf("%s/shard/%d/%d", base, shard, shards)
}

func seatName(base string, seat int) string { return fmt.Sprintf("%s/seat/%d", base, seat) }

// shares reads the owners of all seats and shards.
func (m *Manager) shares(ctx context.Context, base string, shards int) (shares, error) {
	var names []string
	for n := range shards {
		names = append(names, seatName(base, n), shardName(base, n, shards))
	}
	owned, err := m.owners.Owned(ctx, names)
	s := shares{seats: map[int]string{}, shards: map[int]string{}}
	for n := range shards {
		if owner := owned[seatName(base, n)]; owner != "" {
			s.seats[n] = owner
		}
		if owner := owned[shardName(base, n, shards)]; owner != "" {
			s.shards[n] = owner
		}
	}
	return s, err
}

// learn takes over the current owners.
func (d *division) learn(s shares, self string, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	others := map[string]int{}
	for _, owner := range s.seats {
		if owner != self {
			others[owner] = 0
		}
	}
	for shard := range d.shards {
		owner, taken := s.shards[shard]
		_, known := d.free[shard]
		switch _, sits := others[owner]; {
		case !taken && !known:
			d.free[shard] = now
		case taken && sits:
			others[owner]++
		}
		if taken {
			delete(d.free, shard)
		}
	}
	if !d.looked || !sameReplicas(d.others, others) {
		d.since = now
	}
	d.others, d.looked = others, true
	close(d.news)
	d.news = make(chan struct{})
}

// changed returns a channel that is closed at the next learn.
func (d *division) changed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.news
}

func sameReplicas(x, y map[string]int) bool {
	for id := range x {
		if _, there := y[id]; !there {
			return false
		}
	}
	return len(x) == len(y)
}

// claim reserves a shard without an owner for this replica, unless it already has its
// fair share. drop undoes it.
func (d *division) claim(shard int, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	since, free := d.free[shard]
	gave, given := d.gave[shard]
	replicas := len(d.others) + 1
	switch {
	case !d.looked || !free:
		return false
	case now.Sub(since) >= leftAfter:
	case given && now.Sub(gave) < withoutFor, len(d.holding) >= (d.shards+replicas-1)/replicas:
		return false
	}
	d.holding[shard] = nil
	return true
}

// spare returns a shard to release so that a replica with at least two fewer can take it; false if there is none or it
// is too early. Low shards stay: the first one carries the direct messages.
func (d *division) spare(now time.Time) (int, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.others) == 0 || len(d.free) > 0 || now.Sub(d.since) < settleFor {
		return 0, false
	}
	least := len(d.holding)
	for _, n := range d.others {
		least = min(least, n)
	}
	if len(d.holding)-least < 2 {
		return 0, false
	}
	last := -1
	for shard := range d.holding {
		last = max(last, shard)
	}
	return last, true
}

// hold records a shard as owned by this replica, and how to release it.
func (d *division) hold(shard int, release context.CancelFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holding[shard] = release
}

// drop records that a shard is no longer this replica's.
func (d *division) drop(shard int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.holding, shard)
}

// give releases a shard.
func (d *division) give(shard int, now time.Time) {
	d.mu.Lock()
	release := d.holding[shard]
	d.gave[shard] = now
	d.mu.Unlock()
	if release != nil {
		release()
	}
}

// postpone restarts the settling time after which a shard may be given up.
func (d *division) postpone(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.since = now
}

// divideShards keeps the division of shards fair until ctx ends.
func (m *Manager) divideShards(ctx context.Context, base string, d *division) {
	seat := m.readOwners(ctx, base, d)
	for m.wait(ctx, ownEvery) == nil {
		seat = m.readOwners(ctx, base, d)
		m.rebalance(ctx, d)
	}
	if seat != "" {
		m.releaseLease(ctx, seat)
	}
}

// readOwners reads the owners and renews this replica's seat. It returns the seat's
// name.
func (m *Manager) readOwners(ctx context.Context, base string, d *division) string {
	s, err := m.shares(ctx, base, d.shards)
	if err != nil {
		if ctx.Err() == nil {
			m.log.WarnContext(ctx, "discord shards: their owners are unknown", "err", err)
		}
		return ""
	}
	d.learn(s, m.id, m.now())
	if d.shards == 1 { // nothing to divide
		return ""
	}
	return m.renewSeat(ctx, base, s, d.shards)
}

// rebalance gives a shard up if that balances the replicas.
func (m *Manager) rebalance(ctx context.Context, d *division) {
	shard, ok := d.spare(m.now())
	switch {
	case !ok:
	case !m.sessionsToSpare(ctx):
		d.postpone(m.now())
	default:
		m.log.InfoContext(ctx, "discord shard given up: another replica has fewer", "shard", shard)
		d.give(shard, m.now())
	}
}

// renewSeat renews this replica's seat or takes the first free one; replicas count each other
// by seats. There are no more seats than shards. It returns the seat's name, or ""
// without one.
func (m *Manager) renewSeat(ctx context.Context, base string, s shares, shards int) string {
	seat := -1
	for n := range shards {
		if owner, taken := s.seats[n]; owner == m.id || !taken && seat < 0 {
			seat = n
			if taken {
				break
			}
		}
	}
	if seat < 0 {
		return ""
	}
	name := seatName(base, seat)
	if ok, err := m.owners.Own(ctx, name, m.id, seatFor); err != nil || !ok {
		return "" // another replica was faster; the next round tries another seat
	}
	return name
}

// sessionsToSpare reports whether the day's sessions allow one that is not needed: half
// of them are reserved.
func (m *Manager) sessionsToSpare(ctx context.Context) bool {
	g, err := Ask(ctx, m.api)
	return err == nil && (g.Limit == nil || g.Limit.Remaining > g.Limit.Total/2)
}
