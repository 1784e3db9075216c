package bot

import (
	"context"
	"time"
)

// Rate is the refill rate and capacity of a token bucket.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Limiter shares a platform's rate limit among replicas. Allow takes n tokens from the named bucket and returns 0, or takes
// none and returns the time until n are available. It does not wait; it fails only if the rate can never allow n or ctx ended.
type Limiter interface {
	Allow(ctx context.Context, name string, r Rate, n int) (time.Duration, error)
}
