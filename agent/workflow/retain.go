package workflow

import (
	"context"
	"errors"
	"fmt"

	"maru/agent/graph"
)

// keptRecords is how many records of a thread's past stay when it is shortened:
// enough to look at and to go back to its last turns.
const keptRecords = 100

// Retain shortens the log of an agent's thread, and keeps what a waiting turn needs. It does nothing without a
// checkpointer.
func Retain(ctx context.Context, rt *graph.Runtime, plan *graph.Plan, log string) error {
	err := rt.Compact(ctx, plan, log, keptRecords)
	if err != nil && !errors.Is(err, graph.ErrNoCheckpointer) {
		return fmt.Errorf("shorten thread: %w", err)
	}
	return nil
}
