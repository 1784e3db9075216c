package bot

import (
	"context"
	"encoding/json"
	"time"
)

// Reply is the only answer to an item. It is found by Run, created before the first post, and locates the
// platform's message as soon as that exists.
type Reply struct {
	Run    string
	Thread string
	Item   string
	Ref    Ref
	State  ReplyState
	Card   json.RawMessage // the last card, as Card
	At     time.Time       // opened
	First  bool            // set by Open: the thread has no other reply
}

// ReplyState is the progress of a reply.
type ReplyState string

// The states of a reply.
const (
	ReplyOpen   ReplyState = "open"   // may have been posted, not final
	ReplyFinal  ReplyState = "final"  // shows its final card
	ReplyFailed ReplyState = "failed" // could not be delivered; Card is the intended content
)

// Replies stores replies. Open returns a run's reply or creates it and reports which. SetRef
// stores its place on the platform. Both are fenced. OpenReplies lists a thread's unfinished
// replies, oldest first.
//
// Rate stores a person's vote on a run's answer, +1 or -1, replacing an earlier one; 0 removes it.
// It returns the number of votes of each kind.
type Replies interface {
	Open(ctx context.Context, l Lease, r Reply) (stored Reply, created bool, err error)
	SetRef(ctx context.Context, l Lease, run string, ref Ref) error
	Reply(ctx context.Context, run string) (Reply, error)
	OpenReplies(ctx context.Context, thread string) ([]Reply, error)
	Rate(ctx context.Context, thread, run, who string, vote int) (up, down int, err error)
}
