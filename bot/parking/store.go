package parking

import (
	"context"
	"encoding/json"
	"time"

	"maru/bot"
)

// Held is an item being processed: the item that was returned for a leased thread.
type Held struct {
	Owner  string // the process
	Thread string
	Token  int64 // of the lease
	Item   string
	Lapsed bool // the lease ran out and was not released
	// Steps changes with every step that an agent's run commits in the thread; 0 unless Lapsed.
	Steps int64
}

// Item is a parked item.
type Item struct {
	ID     string
	Thread string
	Kind   bot.ItemKind
	Body   json.RawMessage
	At     time.Time // arrival
	Parked time.Time
}

// Store is implemented by records that park items.
//
// InHand lists the items being processed by all processes. It omits released leases and threads without work; an
// expired lease is listed until the thread is claimed.
//
// ParkedItems lists the parked items within a thread, a channel, a workspace (a prefix of Thread.Key up to a
// slash) or, with "", all of them, oldest first. It omits items whose message was deleted. RetryItem makes one
// pending again, with one attempt counted, and wakes the workers; false if it is not parked or its message was
// deleted. Unfinished reports whether an item is pending, or parked as listed by ParkedItems.
//
// ParkedJobs lists the jobs delayed with the reason [Why], by age. RetryJob makes one due, with a reset count;
// false if it is not parked.
type Store interface {
	InHand(ctx context.Context) ([]Held, error)
	ParkedItems(ctx context.Context, within string, limit int) ([]Item, error)
	RetryItem(ctx context.Context, id string) (bool, error)
	Unfinished(ctx context.Context, id string) (bool, error)
	ParkedJobs(ctx context.Context, limit int) ([]bot.Job, error)
	RetryJob(ctx context.Context, id string) (bool, error)
}

// Why is the reason that marks a parked job. Parked jobs do not count as pending.
const Why = "parked"
