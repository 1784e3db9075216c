package bot

import (
	"context"
	"encoding/json"
	"time"
)

// ItemKind is the kind of work that an item requests.
type ItemKind string

// The kinds of items.
const (
	ItemMessage ItemKind = "message" // Body is a Message
	ItemResume  ItemKind = "resume"  // Body names an approval: a decision to resume with, or a card to show again
	ItemChange  ItemKind = "change"  // Body is a Change
	ItemExpire  ItemKind = "expire"  // removes old entries of the thread: see Ages
	ItemStop    ItemKind = "stop"    // a message that stopped a run: stored only to recognise its redelivery
)

// Item is one entry of a thread's inbox.
type Item struct {
	ID       string // key of deduplication: Message.Key for a message
	Thread   string // Thread.Key
	Kind     ItemKind
	Order    string // items of a thread are worked on by length of Order, then Order, then arrival
	Body     json.RawMessage
	At       time.Time // arrival, by the store's clock if zero
	Attempts int       // how often it was handed out before
	Entry    *Entry    // transcript entry committed together with the item

	// Stops, if not empty, is why the item stops the earlier pending messages of its thread when it is put, except those
	// with the IDs in Spares: see StopPending. Stopped is why a returned item was stopped: it is to end without an answer.
	Stops, Stopped StopReason
	Spares         []string

	// Unasked is set by a store that returned the item and saw no pending question in its thread. None can be
	// added while the lease lasts, since only the thread's run asks.
	Unasked bool

	// Begun says that the item was returned by the transaction that put it, so its message cannot have changed
	// before, and its run receives all later changes.
	Begun bool
}

// Lease is the right to process a thread. Token grows with every lease, across all threads; writes with an older
// token are rejected.
type Lease struct {
	Thread string
	Owner  string
	Token  int64
	Until  time.Time // by the store's clock
}

// Inbox is the durable queue of events, with the leases on its threads.
//
// Put commits an item, with its transcript entry and the thread's row, and reports false if an item with that ID
// exists, finished or not. Item IDs are remembered for at least a day after they are finished.
//
// Claim leases a thread that has pending items and no live lease: the named one or, with thread "", the one whose
// item has waited longest, without those of the channels and workspaces in but, such as "slack/T1/C1" and
// "slack/T1". ok is false if there is none. The bot gives up an item whose Attempts exceed its limit. Renew
// extends a lease, Release ends it; both return ErrFenced for a lease that was taken over. A released lease may be
// claimed at once.
//
// Next returns the first pending item of the leased thread and counts an attempt. If there is none, ok is false,
// and the same transaction ends the lease, so that a later Put finds the thread free. Take is Claim of a named
// thread and Next in one call; with ok the lease is held, and for an item without an ID the caller must call Next.
// Begin is Put and, for a fresh item, Take of its thread, in one transaction; the lease's token is 0 if the item
// exists or another worker has the thread. Finish marks an item done, dead or parked and commits outcome with it
// in one transaction, if the lease still holds; see Outcome.Last. Renew, Next and Release of a lease that it ended succeed.
//
// StopPending marks pending messages, returned before or not, as stopped, and returns their IDs. A stopped item is
// returned as before, with Stopped; its first reason stays. It spares messages without an Order, which do not belong to a
// conversation (schedules and requests of programs), and those whose run waits for a decision.
//
// Pending returns the number of pending items of a team (a Thread.TeamKey, "" for all) and the time of the oldest.
type Inbox interface {
	Put(ctx context.Context, it Item) (bool, error)
	Claim(ctx context.Context, thread, owner string, ttl time.Duration, but ...string) (l Lease, ok bool, err error)
	Renew(ctx context.Context, l Lease, ttl time.Duration) (Lease, error)
	Release(ctx context.Context, l Lease) error
	Next(ctx context.Context, l Lease) (it Item, ok bool, err error)
	Take(ctx context.Context, thread, owner string, ttl time.Duration) (l Lease, it Item, ok bool, err error)
	Begin(ctx context.Context, it Item, owner string, ttl time.Duration) (fresh bool, l Lease, first Item, err error)
	Finish(ctx context.Context, l Lease, item string, out Outcome) error
	StopPending(ctx context.Context, s PendingStop) (items []string, err error)
	Pending(ctx context.Context, team string) (n int, oldest time.Time, err error)
}

// PendingStop selects the pending messages that StopPending stops.
type PendingStop struct {
	Thread  string // a Thread.Key
	Channel Thread // if Thread is "": all threads of this one's channel
	Why     StopReason
	Before  string   // those with this Order or an earlier one, "" for all
	But     []string // IDs of items that are spared
	User    string   // those of this person, "" for everybody's
}

// Outcome is the result of processing an item.
type Outcome struct {
	Dead  bool       // given up after too many failures
	Park  bool       // instead: kept with its body until a person retries it; see maru/bot/parking
	Why   string     // for Dead and Park, for the log
	Reply *Reply     // the reply in its final form
	Entry *Entry     // transcript entry of the reply
	Title string     // new title of the thread, "" for no change
	Jobs  []Job      // follow-up work in the background
	Files []Artifact // files of the run, offered in the thread
	Last  bool       // the worker needs the lease no more: Finish may end it if no other item is pending

	// Withdraw lists approvals of the thread to revoke if pending: nobody is left to receive their decisions.
	Withdraw []string
}

// Stopper is implemented by records shared by several replicas. Working reports whether a thread has a live lease.
// AskStop stores a stop request for such a lease, wakes its owner, and reports whether there was one; a newer
// request replaces an older one. Stops returns the requests for an owner's threads, repeatedly, until HeardStops
// removes them; newer requests for the same threads stay. A request applies to the lease it was made for and no
// later one.
type Stopper interface {
	Working(ctx context.Context, thread string) (bool, error)
	AskStop(ctx context.Context, thread, why string) (bool, error)
	Stops(ctx context.Context, owner string) ([]Stop, error)
	HeardStops(ctx context.Context, stops []Stop) error
}

// Stop is a stop request for a thread's run.
type Stop struct {
	Thread string
	Why    string // a [StopRequest], as its String
	ID     string // no other mark of the thread has it
}
