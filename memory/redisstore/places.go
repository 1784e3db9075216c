package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"

	"maru/agent/llm/queue"
)

var _ queue.Shared = (*Store)(nil)

// Take implements [queue.Shared]. A replica that dies gives its places back after the lease.
func (s *Store) Take(ctx context.Context, endpoint string, c queue.Claim) (bool, error) {
	var taken bool
	err := s.guard.do(ctx, func(ctx context.Context) (err error) {
		keys := []string{s.keys.places(endpoint), s.keys.line(endpoint), s.keys.seen(endpoint)}
		taken, err = s.place.Run(ctx, s.client, keys, c.ID, c.Replica, c.Limit, c.Turn.Milliseconds(), c.Lease.Milliseconds(), c.Waits.Milliseconds(), c.Sent).Bool()
		return err
	})
	return taken, err
}

// Give implements [queue.Shared]. A call with a place stands in no line: see place.lua.
func (s *Store) Give(ctx context.Context, endpoint, id string) error {
	return s.guard.do(ctx, func(ctx context.Context) error {
		if had, err := s.client.ZRem(ctx, s.keys.places(endpoint), id).Result(); had > 0 || err != nil {
			return err
		}
		_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.ZRem(ctx, s.keys.line(endpoint), id)
			p.HDel(ctx, s.keys.seen(endpoint), id)
			return nil
		})
		return err
	})
}
