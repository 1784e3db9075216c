package redisstore

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"maru/bot"
)

var _ bot.Limiter = (*Store)(nil)

// limiter shares buckets over replicas. While Redis is away each replica has
// buckets of its own, so that limits hold for each of them.
type limiter struct {
	s      *Store
	bucket *redis.Script

	mu    sync.Mutex
	local map[string]bucket
}

// bucket is the state of a local one.
type bucket struct {
	tokens float64
	at     time.Time
}

// maxLocal bounds the local buckets; when there are more, all start full again.
const maxLocal = 10_000

func newLimiter(s *Store) *limiter {
	return &limiter{s: s, bucket: script("bucket"), local: map[string]bucket{}}
}

// Allow implements [bot.Limiter].
func (s *Store) Allow(ctx context.Context, name string, r bot.Rate, n int) (time.Duration, error) {
	if r.PerSecond <= 0 || n > r.Burst || n < 0 {
		return 0, errors.New("redisstore: this rate never allows so much")
	}
	l := s.limits
	var wait int64
	err := s.guard.do(ctx, func(ctx context.Context) (err error) {
		wait, err = l.bucket.Run(ctx, s.client, []string{s.keys.bucket(name)}, r.PerSecond, r.Burst, n).Int64()
		return err
	})
	if err == nil {
		return time.Duration(wait) * time.Millisecond, nil
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return l.takeLocal(name, r, n, time.Now()), nil
}

// takeLocal returns the script's algorithm in this process.
func (l *limiter) takeLocal(name string, r bot.Rate, n int, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.local[name]
	if !ok {
		if len(l.local) >= maxLocal {
			clear(l.local)
		}
		b = bucket{float64(r.Burst), now}
	}
	b.tokens = min(float64(r.Burst), b.tokens+max(0, now.Sub(b.at).Seconds())*r.PerSecond)
	b.at = now
	var wait time.Duration
	if b.tokens >= float64(n) {
		b.tokens -= float64(n)
	} else {
		wait = time.Duration(math.Ceil((float64(n)-b.tokens)/r.PerSecond*1000)) * time.Millisecond
	}
	l.local[name] = b
	return wait
}
