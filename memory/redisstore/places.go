package redisstore

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"maru/agent/llm/queue"
)

var _ queue.Shared = (*Store)(nil)

const (
	// giveLate is how long a place that is given back waits for a Take to go with. A call of another replica that comes within
	// it is refused and looks again after 10 ms. A busy replica returns all of its places that way, which halves its commands.
	giveLate = 5 * time.Millisecond
	mostLate = 256  // places of an endpoint that wait; with more they are given back at once
	mostKept = 1024 // and that wait for a Redis that is away; others end with their leases
)

// returns holds the places that are given back with the next Take.
type returns struct {
	mu      sync.Mutex
	of      map[string]*returned // by endpoint
	closed  bool
	flushes sync.WaitGroup
}

// returned are the places of an endpoint. Its timer flushes them.
type returned struct {
	ids   []string
	timer *time.Timer
	away  bool // Redis has not heard of some of them
}

// Take implements [queue.Shared]. A replica that dies gives its places back after the lease.
func (s *Store) Take(ctx context.Context, endpoint string, c queue.Claim) (bool, error) {
	var taken bool
	late := s.returns.drain(endpoint)
	err := s.guard.do(ctx, func(ctx context.Context) (err error) {
		keys := []string{s.keys.places(endpoint), s.keys.line(endpoint), s.keys.seen(endpoint)}
		args := []any{c.ID, c.Replica, c.Limit, c.Turn.Milliseconds(), c.Lease.Milliseconds(), c.Waits.Milliseconds(), c.Sent}
		for _, id := range late {
			args = append(args, id)
		}
		taken, err = s.place.Run(ctx, s.client, keys, args...).Bool()
		return err
	})
	if err != nil {
		s.giveAgain(ctx, endpoint, late) // twice does no harm
	}
	return taken, err
}

// Give implements [queue.Shared]. The place goes back with the next Take of this endpoint, at the latest after [giveLate].
func (s *Store) Give(ctx context.Context, endpoint, id string) error {
	s.giveLater(ctx, endpoint, id)
	return nil
}

func (s *Store) giveLater(ctx context.Context, endpoint, id string) {
	s.returns.mu.Lock()
	defer s.returns.mu.Unlock()
	e := s.waiting(ctx, endpoint, giveLate)
	if len(e.ids) < mostKept {
		e.ids = append(e.ids, id)
	}
	if len(e.ids) > mostLate && !e.away && e.timer.Stop() { // otherwise the flush is under way
		e.timer.Reset(0)
	}
}

// giveAgain keeps places that Redis did not hear of until it is there again: other calls would queue behind them.
func (s *Store) giveAgain(ctx context.Context, endpoint string, ids []string) {
	s.returns.mu.Lock()
	defer s.returns.mu.Unlock()
	if len(ids) == 0 || s.returns.closed {
		return
	}
	e := s.waiting(ctx, endpoint, probeEvery)
	e.ids, e.away = append(ids, e.ids...), true
	e.ids = e.ids[:min(len(e.ids), mostKept)]
}

// waiting returns the places of an endpoint, with a flush to come. The caller holds returns.mu.
func (s *Store) waiting(ctx context.Context, endpoint string, after time.Duration) *returned {
	r := &s.returns
	if r.of[endpoint] == nil {
		ctx = context.WithoutCancel(ctx)
		r.flushes.Add(1)
		r.of[endpoint] = &returned{timer: time.AfterFunc(after, func() {
			defer r.flushes.Done()
			s.flush(ctx, endpoint)
		})}
	}
	return r.of[endpoint]
}

// drain removes and returns the places that are to be given back.
func (r *returns) drain(endpoint string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.of[endpoint]
	if e == nil {
		return nil
	}
	delete(r.of, endpoint)
	if e.timer.Stop() {
		r.flushes.Done()
	}
	return e.ids
}

// flush gives places back without a Take.
func (s *Store) flush(ctx context.Context, endpoint string) {
	ids := s.returns.drain(endpoint)
	if len(ids) == 0 {
		return
	}
	err := s.guard.do(ctx, func(ctx context.Context) error {
		had, err := s.client.ZRem(ctx, s.keys.places(endpoint), ids).Result()
		if err != nil || had == int64(len(ids)) { // a call with a place is in no queue: see place.lua
			return err
		}
		_, err = s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.ZRem(ctx, s.keys.line(endpoint), ids)
			p.HDel(ctx, s.keys.seen(endpoint), ids...)
			return nil
		})
		return err
	})
	if err != nil {
		s.giveAgain(ctx, endpoint, ids)
	}
}

// flushAll gives all places back, once, and waits for it.
func (s *Store) flushAll(ctx context.Context) {
	s.returns.mu.Lock()
	s.returns.closed = true
	endpoints := slices.Collect(maps.Keys(s.returns.of))
	s.returns.mu.Unlock()
	for _, e := range endpoints {
		s.flush(ctx, e)
	}
	s.returns.flushes.Wait()
}
