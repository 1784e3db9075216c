package bot

import (
	"context"
	"time"
)

// Rate is how fast a bucket fills and how much it holds.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Limiter shares what a platform takes in a time among the replicas that talk to
// it. Allow takes n tokens from the named bucket and returns 0, or takes none and
// returns how long it is until they are there. It never waits, and fails only for
// a rate that can never allow n, or when ctx has ended.
type Limiter interface {
	Allow(ctx context.Context, name string, r Rate, n int) (time.Duration, error)
}
