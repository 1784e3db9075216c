package queue

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"maru/agent/limit"
	"maru/agent/llm"
)

// A claim is made again after a quarter of the time it has waited, so that a hand-over between replicas costs a fast
// endpoint little and a slow one few requests.
const (
	soonest = 10 * time.Millisecond
	latest  = 200 * time.Millisecond
)

// reserve takes the call's place among those of all replicas, for as long as the call lasts. Replicas are in one
// line: without it the one that gives a place takes it again before the others look.
func (e *Endpoint) reserve(ctx context.Context, p *place) error {
	release := limit.Hold(ctx)
	defer release()
	shown := false
	// Never later than now: what nobody waits for would hold its place here meanwhile.
	c := Claim{ID: rand.Text(), Replica: e.replica, Turn: min(0, time.Until(p.order)), Lease: lease, Waits: waits}
	for start := time.Now(); ; {
		took, cancel := context.WithTimeout(ctx, shortly)
		c.Limit = e.State().Limit
		free, err := e.cfg.Shared.Take(took, e.cfg.URL, c)
		cancel()
		if free || err != nil { // without the count of all there is still our own
			break
		}
		if time.Since(start) > told && !shown {
			shown = true
			p.account.Queued(1)
		}
		if time.Since(start) > e.cfg.Patience {
			e.unclaim(ctx, c.ID)
			e.withdraw(p)
			return &llm.Error{Class: llm.Busy, Detail: fmt.Sprintf("the endpoint was busy with the calls of other replicas for %v", e.cfg.Patience)}
		}
		select {
		case <-ctx.Done():
			e.unclaim(ctx, c.ID)
			e.withdraw(p)
			return fmt.Errorf("waiting for the model's endpoint: %w", ctx.Err())
		case <-time.After(min(max(time.Since(start)/4, soonest), latest)):
		}
	}
	if shown {
		p.account.Queued(0)
	}
	e.mu.Lock()
	p.sent = time.Now()
	e.mu.Unlock()
	p.give = e.keep(context.WithoutCancel(ctx), c)
	return nil
}

// unclaim gives a place or a turn back. If that fails, either ends by itself.
func (e *Endpoint) unclaim(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shortly)
	defer cancel()
	_ = e.cfg.Shared.Give(ctx, e.cfg.URL, id)
}

// keep renews the place until give is called. The limit goes with it: what nobody waits for here would be unknown to the
// others otherwise, and they would wait for calls that the endpoint takes beside theirs.
func (e *Endpoint) keep(ctx context.Context, c Claim) (give func()) {
	c.Sent = true
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				within, cancel := context.WithTimeout(ctx, shortly)
				c.Limit = e.State().Limit
				_, _ = e.cfg.Shared.Take(within, e.cfg.URL, c) // without it the lease ends, and one call more is sent
				cancel()
			}
		}
	}()
	return func() {
		stop()
		<-ended
		e.unclaim(ctx, c.ID)
	}
}
