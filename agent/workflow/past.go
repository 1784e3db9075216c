package workflow

import (
	"context"
	"time"
)

// Past finds what was said in a thread and is not in an agent's own state of it.
//
// Earlier returns the few messages of people that most likely bear on a question, best
// first: of those that still stand as they are, were not taken back, and are not shown already.
//
// Missed returns what was said to the bot before a message and after the newest one that is
// known, oldest first: at most so many messages, people's that still stand as they are, and
// behind each what was answered to it. What people said among themselves is not in it.
type Past interface {
	Earlier(ctx context.Context, thread, question string, shown func(message string) bool, limit int) ([]Said, error)
	Missed(ctx context.Context, thread, before string, known func(message string) bool, limit int) ([]Said, error)
}

// Said is one message of a thread.
type Said struct {
	ID     string
	Author string
	Text   string
	At     time.Time
	Own    bool    // the bot's answer
	By     string  // id of the person whose own words it is; of what Missed returns only if a rule answered it
	Score  float64 // comparable within one answer only
}

// Hear notes that a prompt of this call of the run shows words that are not in its state and that an outsider may have written.
func (x *Exec) Hear(author string) {
	if x.heard != nil {
		x.heard.Store(&author)
	}
}

// Heard returns the last author of such words, nil if there were none.
func (x *Exec) Heard() *string {
	if x.heard == nil {
		return nil
	}
	return x.heard.Load()
}
