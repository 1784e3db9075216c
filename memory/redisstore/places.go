package redisstore

import (
	"context"
	"time"

	"maru/agent/llm/queue"
)

var _ queue.Shared = (*Store)(nil)

// Take implements [queue.Shared]. A replica that dies gives its places back after the lease.
func (s *Store) Take(ctx context.Context, endpoint, id string, most int, lease time.Duration) (bool, error) {
	var taken bool
	err := s.guard.do(ctx, func(ctx context.Context) (err error) {
		taken, err = s.place.Run(ctx, s.client, []string{s.keys.places(endpoint)}, id, most, lease.Milliseconds()).Bool()
		return err
	})
	return taken, err
}

// Give implements [queue.Shared].
func (s *Store) Give(ctx context.Context, endpoint, id string) error {
	return s.guard.do(ctx, func(ctx context.Context) error { return s.client.ZRem(ctx, s.keys.places(endpoint), id).Err() })
}
