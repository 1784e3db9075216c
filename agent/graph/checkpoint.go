package graph

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Errors of a [Checkpointer].
var (
	// ErrConflict reports that a record with this sequence number exists: another writer was faster. The loser must
	// reload; nothing was written.
	ErrConflict = errors.New("graph: another writer appended to this thread")
	// ErrFenced reports that the writer's lease is not the newest one.
	ErrFenced = errors.New("graph: lease was taken over")
)

// RecordKind is the kind of a [Record].
type RecordKind string

// The kinds of records.
const (
	RecordInput    RecordKind = "input"    // a turn begins: its input's updates
	RecordStep     RecordKind = "step"     // a super-step is finished
	RecordPending  RecordKind = "pending"  // a task of an unfinished step is finished, or asks
	RecordEffect   RecordKind = "effect"   // the intent or result of a Once
	RecordAnswer   RecordKind = "answer"   // a person's answer to an interrupt
	RecordUpdate   RecordKind = "update"   // a state update as if a node had written it
	RecordSnapshot RecordKind = "snapshot" // the whole state up to its own Seq
)

// Record is one entry of a thread's append-only log. Its key is
// (Thread, NS, Seq); inserting that key is the compare-and-swap that keeps two
// writers from forking a history.
//
// Body is opaque to stores: the engine's own encoding of updates, frontier,
// interrupts and answers. Stores keep it byte for byte.
type Record struct {
	Thread string
	NS     string // "" for the top graph, a path for a sub-graph
	Seq    int64  // 1, 2, 3, … without a gap
	Kind   RecordKind
	Step   int    // super-step within the turn
	Turn   string // id of the turn that wrote it: the run's id
	Plan   string // hash of the compiled plan that wrote it
	At     time.Time
	Body   json.RawMessage
}

// Checkpointer keeps the logs of threads.
//
// Append adds records with consecutive Seq to one (thread, ns), all or none.
// It returns ErrConflict when a record with one of these keys exists, and an
// error when the first Seq would leave a gap. If fence is not zero, it is the
// fencing token of the writer's lease on the thread and a store that knows a
// newer one returns ErrFenced. When Append returns nil the records survive the
// death of the process. Append does not keep the records' slices, and appending
// nothing is not an error.
//
// Load returns, in order of Seq, the newest snapshot (if any) and all records
// after it, or all records if there is none; nothing for an unknown thread.
//
// Head returns the Seq of the newest record, 0 for an unknown thread.
//
// History returns records with from ≤ Seq ≤ to, at most limit of them (0: all).
//
// Prune removes all records below the newest snapshot except the last keep
// ones. Delete removes a thread with all its namespaces and is idempotent.
//
// Every method is safe for concurrent use.
type Checkpointer interface {
	Append(ctx context.Context, fence int64, records ...Record) error
	Load(ctx context.Context, thread, ns string) ([]Record, error)
	Head(ctx context.Context, thread, ns string) (int64, error)
	History(ctx context.Context, thread, ns string, from, to int64, limit int) ([]Record, error)
	Prune(ctx context.Context, thread, ns string, keep int) error
	Delete(ctx context.Context, thread string) error
}

// Hot is a shared cache of the newest state of threads. It may lose anything at any time; the log is authoritative.
//
// Get returns the last written state with its Seq; ok is false on a miss. The engine uses it only if Seq equals the
// log's head. Put stores changed state channels (and removes those that are nil) together with their Seq, if the
// stored Seq is from; when whole is true, changed is the complete state and replaces an older one. It returns
// ErrConflict if it stored nothing for one of these reasons: the caller then puts the whole state. Other errors are
// returned to the caller, which continues without the cache. Drop is idempotent. Keys are state channel names and
// ".head".
type Hot interface {
	Get(ctx context.Context, thread string) (state map[string]json.RawMessage, seq int64, ok bool, err error)
	Put(ctx context.Context, thread string, from, seq int64, changed map[string]json.RawMessage, whole bool) error
	Drop(ctx context.Context, thread string) error
}
