package shard

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	seatFor    = 11 * time.Second // a seat is free before the shards of who died with it are
	settleFor  = 30 * time.Second // how long the replicas are the same before one gives a shard to another
	leftAfter  = 12 * time.Second // a shard that nobody has for so long is anybody's
	withoutFor = time.Minute      // who gave a shard up leaves it to others
)

// division shares the shards out among the replicas. Each takes no more than its
// part, and one that has two more than another gives one up: the other takes it.
// See docs/decisions/0466.
type division struct {
	mu      sync.Mutex
	shards  int
	looked  bool                       // what follows has been learnt
	others  map[string]int             // by replica: how many shards it has
	since   time.Time                  // these are the replicas since then
	free    map[int]time.Time          // since when nobody has a shard
	gave    map[int]time.Time          // when this replica gave a shard up
	holding map[int]context.CancelFunc // of the shards that are this replica's: gives it up
	news    chan struct{}              // closed when something was learnt
}

func newDivision(shards int) *division {
	return &division{
		shards: shards, news: make(chan struct{}),
		free: map[int]time.Time{}, gave: map[int]time.Time{}, holding: map[int]context.CancelFunc{},
	}
}

// shares are who has which seats and shards now.
type shares struct {
	seats  map[int]string
	shards map[int]string
}

// shardName and seatName name what replicas own.
func shardName(base string, shard, shards int) string {
	return fmt.Sprintf("%s/shard/%d/%d", base, shard, shards)
}

func seatName(base string, seat int) string { return fmt.Sprintf("%s/seat/%d", base, seat) }

// shares asks who has what.
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

// learn takes over who has what.
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

// hear returns a channel that is closed when something is learnt.
func (d *division) hear() <-chan struct{} {
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

// claim makes a shard this replica's to take, if nobody has it and it has fewer
// than its part. Drop takes that back.
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

// spare is a shard to give up, so that a replica with two fewer can take it; false
// if there is none, or if it is not the time. The lowest stay: the first one has
// the direct messages.
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

// hold notes that a shard is this replica's, and how to give it up.
func (d *division) hold(shard int, release context.CancelFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holding[shard] = release
}

// drop notes that a shard is not this replica's any more.
func (d *division) drop(shard int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.holding, shard)
}

// give gives a shard up.
func (d *division) give(shard int, now time.Time) {
	d.mu.Lock()
	release := d.holding[shard]
	d.gave[shard] = now
	d.mu.Unlock()
	if release != nil {
		release()
	}
}

// postpone begins the time anew after which a shard may be given up.
func (d *division) postpone(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.since = now
}

// divideShards keeps this replica's part of the shards fair until ctx ends.
func (m *Manager) divideShards(ctx context.Context, base string, d *division) {
	seat := m.lookAround(ctx, base, d)
	for m.wait(ctx, ownEvery) == nil {
		seat = m.lookAround(ctx, base, d)
		m.even(ctx, d)
	}
	if seat != "" {
		m.disown(ctx, seat)
	}
}

// lookAround learns who has what, and keeps a seat; it returns the seat's name.
func (m *Manager) lookAround(ctx context.Context, base string, d *division) string {
	s, err := m.shares(ctx, base, d.shards)
	if err != nil {
		if ctx.Err() == nil {
			m.log.WarnContext(ctx, "discord shards: who has which is not known", "err", err)
		}
		return ""
	}
	d.learn(s, m.id, m.now())
	if d.shards == 1 { // there is nothing to divide
		return ""
	}
	return m.sit(ctx, base, s, d.shards)
}

// even gives a shard up if that makes the division more even.
func (m *Manager) even(ctx context.Context, d *division) {
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

// sit keeps a seat, by which replicas count each other: the one that this replica
// has, else the first that is free. There are no more seats than shards. It returns
// the seat's name, "" without one.
func (m *Manager) sit(ctx context.Context, base string, s shares, shards int) string {
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
		return "" // another was quicker: next time there is another seat
	}
	return name
}

// sessionsToSpare reports whether the day has sessions enough for one that is not
// needed: half of them are kept for those that are.
func (m *Manager) sessionsToSpare(ctx context.Context) bool {
	g, err := Ask(ctx, m.api)
	return err == nil && (g.Limit == nil || g.Limit.Remaining > g.Limit.Total/2)
}
