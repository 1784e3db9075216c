package queue

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"maru/agent/limit"
	"maru/agent/llm"
)

// reserve takes the call's place among those of all replicas, for as long as the call lasts.
func (e *Endpoint) reserve(ctx context.Context, p *place) error {
	release := limit.Hold(ctx)
	defer release()
	id, shown := rand.Text(), false
	for start := time.Now(); ; {
		took, cancel := context.WithTimeout(ctx, shortly)
		free, err := e.cfg.Shared.Take(took, e.cfg.URL, id, e.State().Limit, lease)
		cancel()
		if free || err != nil { // without the count of all there is still our own
			break
		}
		if time.Since(start) > told && !shown {
			shown = true
			p.account.Queued(1)
		}
		if time.Since(start) > e.cfg.Patience {
			e.withdraw(p)
			return &llm.Error{Class: llm.Busy, Detail: fmt.Sprintf("the endpoint was busy with the calls of other replicas for %v", e.cfg.Patience)}
		}
		select {
		case <-ctx.Done():
			e.withdraw(p)
			return fmt.Errorf("waiting for the model's endpoint: %w", ctx.Err())
		case <-time.After(poll):
		}
	}
	if shown {
		p.account.Queued(0)
	}
	e.mu.Lock()
	p.sent = time.Now()
	e.mu.Unlock()
	p.give = e.keep(context.WithoutCancel(ctx), id)
	return nil
}

// keep renews the place until give is called.
func (e *Endpoint) keep(ctx context.Context, id string) (give func()) {
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
				_, _ = e.cfg.Shared.Take(within, e.cfg.URL, id, most, lease) // without it the lease ends, and one call more is sent
				cancel()
			}
		}
	}()
	return func() {
		stop()
		<-ended
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shortly)
		defer cancel()
		_ = e.cfg.Shared.Give(within, e.cfg.URL, id) // the lease ends by itself
	}
}
