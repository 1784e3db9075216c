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

// Events distributes live events of threads to other replicas, such as a run's progress for a console connected
// elsewhere. Delivery is best effort; a reader that needs every event reads the record.
//
// Publish sends data to the thread's current subscribers. Subscribe returns a channel that is
// closed when ctx ends; a slow reader loses events and blocks nobody.
type Events interface {
	Publish(ctx context.Context, thread string, data []byte) error
	Subscribe(ctx context.Context, thread string) (<-chan []byte, error)
}
