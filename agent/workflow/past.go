package workflow

import (
	"context"
	"time"
)

// Past finds what people said in a thread long ago, in their own words. Earlier
// returns the few messages that most likely bear on a question, best first: of
// those that still stand as they are, and were not taken back.
type Past interface {
	Earlier(ctx context.Context, thread, question string, limit int) ([]Said, error)
}

// Said is one message of a thread.
type Said struct {
	ID     string
	Author string
	Text   string
	At     time.Time
	Score  float64 // comparable within one answer only
}
