package bot

import (
	"context"
	"encoding/json"
	"time"
)

// ItemKind says what an inbox item asks for.
type ItemKind string

// The kinds of items.
const (
	ItemMessage ItemKind = "message" // Body is a Message
	ItemResume  ItemKind = "resume"  // Body names an approval: a decision to go on with, or a card to show again
	ItemChange  ItemKind = "change"  // Body is a Change
	ItemExpire  ItemKind = "expire"  // what is old in the thread goes: see Ages
	ItemStop    ItemKind = "stop"    // a message that stopped a run: there is nothing more to do, but to know it again
)

// Item is one entry of a thread's inbox.
type Item struct {
	ID       string // what it is, the key of deduplication: Message.Key for a message
	Thread   string // Thread.Key
	Kind     ItemKind
	Order    string // items of a thread are worked on by length of Order, then Order, then arrival
	Body     json.RawMessage
	At       time.Time // arrival, by the store's clock if zero
	Attempts int       // how often it was handed out before
	Entry    *Entry    // transcript entry committed together with the item

	// Unasked is set by a store that handed the item out and saw that no question
	// waits in its thread. While the lease lasts none can come: only the thread's
	// run asks.
	Unasked bool

	// Begun says that the transaction which put the item handed it out: nobody can
	// have changed its message before, and its run is told of what comes after.
	Begun bool
}

// Lease is the right to work on a thread. Token grows with every lease of the
// thread and over all threads; a write with an older token is refused.
type Lease struct {
	Thread string
	Owner  string
	Token  int64
	Until  time.Time // by the store's clock
}

// Inbox is the durable queue of events, and the leases on its threads.
//
// Put commits an item (with its transcript entry and the thread's row) and
// reports false when an item with that ID was put before, done or not. Items
// stay known for at least a day after they are done.
//
// Claim leases a thread that has pending items and no live lease: the named one,
// or with thread "" the one whose item waits longest, without those of the places
// and workspaces in but, such as "slack/T1/C1" and "slack/T1". ok is false if there
// is none. An item with Attempts above the bot's bound is the bot's to bury.
// Renew prolongs a lease, Release ends it; both return ErrFenced for a lease
// that was taken over. A released lease may be claimed at once.
//
// Next returns the first pending item of the leased thread and counts an
// attempt; ok is false when nothing is pending, and the lease has then ended in
// the same transaction: what is put later finds the thread free. Take is Claim
// of a named thread and Next at once; with ok the lease is had, and an item
// without an ID says that Next must be asked. Begin is Put and, of a fresh item,
// Take of its thread, in one transaction: without a lease its token is 0, because
// the item is known or somebody else has the thread. Finish marks an item done, dead or parked and
// commits outcome with it in one transaction, if the lease still holds.
//
// Pending returns how many items of a team (a Thread.TeamKey, "" for all) wait and
// since when the oldest does.
type Inbox interface {
	Put(ctx context.Context, it Item) (bool, error)
	Claim(ctx context.Context, thread, owner string, ttl time.Duration, but ...string) (l Lease, ok bool, err error)
	Renew(ctx context.Context, l Lease, ttl time.Duration) (Lease, error)
	Release(ctx context.Context, l Lease) error
	Next(ctx context.Context, l Lease) (it Item, ok bool, err error)
	Take(ctx context.Context, thread, owner string, ttl time.Duration) (l Lease, it Item, ok bool, err error)
	Begin(ctx context.Context, it Item, owner string, ttl time.Duration) (fresh bool, l Lease, first Item, err error)
	Finish(ctx context.Context, l Lease, item string, out Outcome) error
	Pending(ctx context.Context, team string) (n int, oldest time.Time, err error)
}

// Outcome is how work on an item ended.
type Outcome struct {
	Dead  bool       // given up: it failed too often
	Park  bool       // instead: it rests with its body until somebody retries it; see maru/bot/parking
	Why   string     // for Dead and Park, for the log
	Reply *Reply     // the reply in its final form
	Entry *Entry     // transcript entry of the reply
	Title string     // new title of the thread, "" to leave it
	Jobs  []Job      // work that follows and delays nobody
	Files []Artifact // what the run made, to be offered in the thread

	// Withdraw are approvals of the thread that are revoked with it, where they
	// still wait: nobody is left to be told of their decision.
	Withdraw []string
}

// Stopper is implemented by records shared by several replicas. Working reports
// whether somebody has a live lease of a thread. AskStop marks such a lease,
// wakes its owner, and reports whether there was one; a newer mark takes the place
// of an older one. Stops returns the marks of an owner's threads, again and again
// until HeardStops takes them away, which leaves newer ones of the same threads; a
// mark is for the lease it was made on and no later one.
type Stopper interface {
	Working(ctx context.Context, thread string) (bool, error)
	AskStop(ctx context.Context, thread, why string) (bool, error)
	Stops(ctx context.Context, owner string) ([]Stop, error)
	HeardStops(ctx context.Context, stops []Stop) error
}

// Stop is a mark of a thread whose run is to stop.
type Stop struct {
	Thread string
	Why    string // a [StopRequest], as its String
	ID     string // no other mark of the thread has it
}
