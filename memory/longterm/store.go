package longterm

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Kind is a kind of memory.
type Kind string

// The kinds of records, each with its manager.
const (
	KindPlan          Kind = "plan"
	KindTool          Kind = "tool"
	KindClarification Kind = "clarification"
	KindBehavior      Kind = "behavior"
	KindWorkflow      Kind = "workflow"
	KindPreference    Kind = "preference"
)

// Kinds lists the kinds in display order.
func Kinds() []Kind {
	return []Kind{KindPreference, KindClarification, KindPlan, KindBehavior, KindTool, KindWorkflow}
}

// ErrNotFound reports that the person has no such record.
var ErrNotFound = errors.New("longterm: no such record")

// Note is an immutable lesson of one session.
type Note struct {
	Session string          // a record has at most one note per session
	At      time.Time       // when the person spoke or decided
	Message string          // the message it was learned from; may be empty
	Data    json.RawMessage // the kind's lesson
}

// Record is the fold of the notes with one key.
type Record struct {
	ID        string // follows from Person, Scope, Kind and Key
	Workspace string
	Person    string
	Scope     string // the scope in which it may be used
	Kind      Kind
	Key       string          // common fields of its notes
	Text      string          // text for search and for display
	Data      json.RawMessage // the kind's record
	Terms     []string        // index terms of Text, with repetitions
	Vector    []float32       // of Text, nil without an embedder
	Raw       float64         // confidence before weighting by samples, 0..1
	Samples   int
	First     time.Time // its oldest note
	Last      time.Time // its newest note
	Muted     bool      // not used, at the person's request
	Uses      int       // number of runs that used it
	Used      time.Time // time of the last use
	UsedIn    string    // scope of the last use
}

// Confidence returns the record's raw confidence, weighed by its samples.
func (r Record) Confidence() float64 { return Confidence(r.Raw, r.Samples) }

// Fold computes Text, Data, Terms, Vector, Raw and Samples of a record from its notes, sorted by At and Session.
// It may be called again when its transaction is retried.
type Fold func(r Record, notes []Note) (Record, error)

// Query selects the usable records of a store.
type Query struct {
	Person   string
	Kinds    []Kind   // none means all
	Scopes   []string // none: nothing is found
	Anywhere bool     // search all scopes; only for the person themselves
	Words    []string // records with one of these terms; none means all
	Vector   []float32
	Limit    int // maximum number of records, newest first unless Words or Vector select; 0 means MaxFound
}

// MaxFound bounds the result of one query.
const MaxFound = 2000

// MaxNotes limits the notes of a fold; the newest are used.
const MaxNotes = 5000

// Use states that a run used a record.
type Use struct {
	Record string
	Run    string
	Scope  string // scope of the channel
	At     time.Time
}

// Receipt counts removed data.
type Receipt struct {
	Records map[Kind]int `json:"records"`
	Notes   int          `json:"notes"`
	Uses    int          `json:"uses"`
	Jobs    int          `json:"jobs"` // lessons not yet consolidated
	Runs    []string     `json:"-"`    // runs that used the removed records; their answers may quote them
}

// Plus adds two receipts.
func (r Receipt) Plus(other Receipt) Receipt {
	sum := Receipt{Records: map[Kind]int{}, Notes: r.Notes + other.Notes, Uses: r.Uses + other.Uses, Jobs: r.Jobs + other.Jobs}
	for _, k := range Kinds() {
		if n := r.Records[k] + other.Records[k]; n > 0 {
			sum.Records[k] = n
		}
	}
	sum.Runs = append(append(sum.Runs, r.Runs...), other.Runs...)
	return sum
}

// Total returns the number of records removed.
func (r Receipt) Total() (n int) {
	for _, k := range r.Records {
		n += k
	}
	return n
}

// Part restricts an operation; an empty field means no restriction.
type Part struct {
	Workspace     string
	Person        string
	Scope         string
	NotWorkspaces []string // excluded scopes
	NotScopes     []string
}

// Store keeps records and their notes. All methods are safe for concurrent use, by several processes where the store
// has several.
//
// Learn adds a note to the record that r names (ID, Workspace, Person, Scope, Kind, Key) and commits the fold of all
// its notes, serialised per record. A second note of a session changes nothing, except that of two different ones the
// one with the smaller At, then Data, is kept, so that their order does not matter; added reports whether the number
// of notes grew. A note that is not newer than the record's or the person's last Forget, or of an unlearned message,
// is rejected.
//
// Find returns the usable records of a query; muted ones only if muted is set. Each record comes with everything but
// its notes, in no particular order.
//
// Notes returns a record's notes, oldest first. Mute sets whether records are used. Move puts records into another
// scope, merges them with records of the same key there, and returns the number moved.
//
// Use counts uses, each (Record, Run) once; missing records are skipped.
//
// Forget removes records with notes and uses, all of the person's if ids is nil (else it returns the runs that used
// them), and keeps only a tombstone per key, so that notes up to at cannot come back. Unlearn removes the notes of a
// message up to at, of any person, folds the rest and returns the number of records touched; a record without notes
// is removed. at is the time when the message was withdrawn: newer notes are of its new text. Sweep removes notes
// older than before likewise, at most limit records a call, and returns the number of records touched. SweepPart does
// so for a part of the records.
type Store interface {
	Learn(ctx context.Context, r Record, n Note, fold Fold) (added bool, err error)
	Find(ctx context.Context, q Query, muted bool) ([]Record, error)
	Notes(ctx context.Context, person, id string) ([]Note, error)
	Mute(ctx context.Context, person string, ids []string, muted bool) (int, error)
	Move(ctx context.Context, person string, ids []string, scope string, fold Fold) (int, error)
	Use(ctx context.Context, person string, uses []Use) error
	Forget(ctx context.Context, person string, ids []string, at time.Time) (Receipt, error)
	Unlearn(ctx context.Context, message string, at time.Time, fold Fold) (int, error)
	Sweep(ctx context.Context, before time.Time, limit int, fold Fold) (int, error)
	SweepPart(ctx context.Context, p Part, before time.Time, limit int, fold Fold) (int, error)
}
