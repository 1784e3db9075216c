package redisstore

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"maru/bot"
)

var _ bot.Events = (*events)(nil)

// events carries live events between replicas by Redis' publish and subscribe.
type events struct{ s *Store }

// Events returns the live events of threads.
func (s *Store) Events() bot.Events { return &events{s} }

// Publish implements bot.Events.
func (e *events) Publish(ctx context.Context, thread string, data []byte) error {
	err := e.s.guard.do(ctx, func(ctx context.Context) error { return e.s.client.Publish(ctx, e.s.keys.events(thread), data).Err() })
	if err != nil {
		return fmt.Errorf("redisstore: publish: %w", err)
	}
	return nil
}

// Subscribe implements bot.Events. It reconnects after a lost connection; events published meanwhile are lost.
func (e *events) Subscribe(ctx context.Context, thread string) (<-chan []byte, error) {
	ps := e.s.client.Subscribe(ctx, e.s.keys.events(thread))
	if err := e.s.guard.do(ctx, func(ctx context.Context) error { _, err := ps.Receive(ctx); return err }); err != nil {
		_ = ps.Close() // the error that counts is the other one
		return nil, fmt.Errorf("redisstore: subscribe: %w", err)
	}
	in := ps.Channel(redis.WithChannelSize(256))
	out := make(chan []byte, 256)
	go func() { // ends with ctx or the store, and then closes out
		defer close(out)
		defer func() { _ = ps.Close() }()
		for {
			select {
			case <-ctx.Done():
				return
			case m, ok := <-in:
				if !ok {
					return
				}
				select {
				case out <- []byte(m.Payload):
				default: // a slow reader loses events, never holds anybody up
				}
			}
		}
	}()
	return out, nil
}
