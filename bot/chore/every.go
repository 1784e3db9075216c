package chore

import (
	"context"
	"log/slog"
	"time"
)

// Every runs a round of work at once and then repeatedly, until ctx ends. A panic in a round is logged and does
// not affect later ones.
func Every(ctx context.Context, log *slog.Logger, what string, pause time.Duration, round func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		Guard(ctx, log, what, round)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
