package parking

import (
	"context"
	"encoding/json"
	"time"

	"maru/bot"
)

// Held is an item in hand: the item of a leased thread that was handed out.
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
// InHand lists the items in hand of all processes. A lease that was released, or whose thread has no
// work, is not listed; one that ran out is, until somebody claims its thread.
//
// ParkedItems lists the parked items within a place, oldest first: a thread, a channel, a workspace
// (the beginning of Thread.Key up to a slash) or "" for all. An item whose message is gone is none.
// RetryItem makes one pending again, as handed out once before, and wakes who waits for work; false
// if it is not parked, or its message is gone.
//
// ParkedJobs lists the jobs that were delayed with the word [Why], by age. RetryJob makes one due, with
// a clean count; false if it is not parked.
type Store interface {
	InHand(ctx context.Context) ([]Held, error)
	ParkedItems(ctx context.Context, within string, limit int) ([]Item, error)
	RetryItem(ctx context.Context, id string) (bool, error)
	ParkedJobs(ctx context.Context, limit int) ([]bot.Job, error)
	RetryJob(ctx context.Context, id string) (bool, error)
}

// Why is the word with which a parked job is delayed. Such a job is not counted among those that wait.
const Why = "parked"
