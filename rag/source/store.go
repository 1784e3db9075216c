package source

import (
	"context"
	"errors"
	"time"
)

// Errors of a [Store].
var (
	// ErrChanged says that the row is not at the version that was to be replaced any more.
	ErrChanged = errors.New("source: the row was changed meanwhile")
	// ErrLost says that the lease of a source is another's.
	ErrLost = errors.New("source: the lease is lost")
)

// Kind is the kind of a source.
type Kind string

// The kinds of sources.
const (
	Website Kind = "website"
	Git     Kind = "git"
	GitHub  Kind = "github" // issues of a repository
	MCP     Kind = "mcp"
	Drive   Kind = "drive" // a folder of Google Drive

	Confluence Kind = "confluence"
	Notion     Kind = "notion"
)

// Spec says what is read and who may read it here.
type Spec struct {
	Kind   Kind          `json:"kind"`
	URL    string        `json:"url,omitempty"`    // of the website's first page, or the repository
	Server string        `json:"server,omitempty"` // MCP server
	Branch string        `json:"branch,omitempty"` // of the repository, "" for its default
	Folder string        `json:"folder,omitempty"` // of the repository, "" for all
	Scope  string        `json:"scope"`            // readers of its documents
	Own    bool          `json:"own,omitempty"`    // the team's own words; otherwise outsiders may have written them
	Every  time.Duration `json:"every"`            // between two looks
	Pages  int           `json:"pages,omitempty"`  // most items
	Depth  int           `json:"depth,omitempty"`  // most links from the start
	Rights time.Duration `json:"rights,omitempty"` // between two checks of the readers of documents; 0 is [DefaultRights]

	Restricted bool `json:"restricted,omitempty"` // pages that only some of its readers outside may read are documents too
}

// Confidential reports whether the name of an item may be hidden from some of those for whom the source is declared: only
// operators see single items that could not be read.
func (s Spec) Confidential() bool {
	return s.Kind == Drive || s.Kind == Confluence && !s.Restricted
}

// Identity returns a spec without what changes neither items nor documents. A source with another one begins again.
func (s Spec) Identity() Spec {
	s.Every, s.Pages, s.Depth, s.Rights = 0, 0, 0, 0
	return s
}

// Row is a source. People and the configuration write it; [Progress] is the engine's.
type Row struct {
	Name    string    `json:"-"`
	Version int64     `json:"-"`              // grows with every change; 0 is not stored yet
	Team    string    `json:"-"`              // the workspace that it leaves with, "" for none
	Spec    Spec      `json:"spec"`           // what is read
	File    bool      `json:"file,omitempty"` // it is in the configuration file
	Left    bool      `json:"left,omitempty"` // it was there once and does not now: its documents stay until it is removed
	By      string    `json:"by,omitempty"`   // name of the person who added it, "" for the file
	Paused  bool      `json:"paused,omitempty"`
	Removed bool      `json:"removed,omitempty"` // its documents are to be deleted, and then the row
	Wanted  time.Time `json:"wanted,omitzero"`   // when a person asked for a look now
	Retry   time.Time `json:"retry,omitzero"`    // when a person asked for parked items to be tried again
	Created time.Time `json:"created"`

	Progress Progress `json:"-"`
}

// Progress is how far a source has come.
type Progress struct {
	Sweep   int64     `json:"sweep,omitempty"`   // counts looks
	Phase   Phase     `json:"phase,omitempty"`   // of the present look
	Cursor  string    `json:"cursor,omitempty"`  // where its listing goes on, and from which the next one begins
	Whole   bool      `json:"whole,omitempty"`   // its listing has named everything
	Confirm bool      `json:"confirm,omitempty"` // or may have left something out, see [Page]
	Of      Spec      `json:"of"`                // what its items and documents were made by, see [Spec.Identity]
	Due     time.Time `json:"due,omitzero"`      // of the next look, or of its continuation
	Heard   time.Time `json:"heard,omitzero"`    // Wanted of the row when the present look began
	Retried time.Time `json:"retried,omitzero"`  // Retry of the row for which parked items were tried again last
	Started time.Time `json:"started,omitzero"`  // of the present look
	Done    time.Time `json:"done,omitzero"`     // when a look last came to its end
	Tries   int       `json:"tries,omitempty"`   // failures in a row
	Why     Why       `json:"why,omitempty"`     // of the last failure; nil if the source can be read
	Limited bool      `json:"limited,omitempty"` // it has more items than it may

	Rights   time.Time `json:"rights,omitzero"`   // the readers of every document were checked then or later; zero for other sources
	Checking time.Time `json:"checking,omitzero"` // when the present check of all readers began
}

// Phase is a stage of a look.
type Phase string

// The phases, in order.
const (
	Idle     Phase = ""
	Listing  Phase = "listing"
	Fetching Phase = "fetching"
)

// State is what is known of an item.
type State string

// The states of items.
const (
	Pending State = "pending" // to be fetched
	Synced  State = "synced"  // its document is there
	Skipped State = "skipped" // it is no document
	Refused State = "refused" // it cannot be read until it changes
	Failed  State = "failed"  // it could not be fetched in this look, and will be tried in the next

	Parked State = "parked" // processes died while they read it; it waits until it changes or a person retries it

	Restricted State = "restricted" // only some of the source's readers may read it, so it is no document
)

// Entry is an item in the record.
type Entry struct {
	Item

	Sweep      int64     `json:"-"` // look that named it last
	State      State     `json:"-"`
	Due        time.Time `json:"-"` // when a pending item may be tried
	Tries      int       `json:"tries,omitempty"`
	Document   string    `json:"document,omitempty"` // ID, "" if there is none
	Scope      string    `json:"scope,omitempty"`    // of the document
	Validators string    `json:"validators,omitempty"`
	Checked    time.Time `json:"checked,omitzero"`
	Rights     time.Time `json:"rights,omitzero"`  // when its readers were checked last
	Why        Why       `json:"why,omitempty"`    // why it is refused, failed or parked
	InHand     string    `json:"inHand,omitempty"` // process that is reading it, or died while it did
	Deaths     int       `json:"deaths,omitempty"` // of processes that were reading it, since it was last read or retried
}

// Query selects items of a source.
type Query struct {
	IDs    []string  // these, if not nil
	States []State   // in these states, if not empty
	Before int64     // named last by a look before this one, if not 0
	Due    time.Time // due then or before, if not zero
	After  string    // IDs beyond this one
	Limit  int       // most items, in the order of their IDs
}

// Store keeps sources. Times are the caller's; the store's clock is not asked.
//
// PutSource stores what people and the configuration say of a source if the row it holds has r.Version, 0 for none, and
// returns the new version; its progress stays. The error is ErrChanged if it has another. Sources lists all rows in the
// order of their names. DropSource removes a row with its items if owner has the lease.
//
// LeaseSource gives the lease of a source to owner until a moment, unless it is another's at now; an owner renews it in
// the same way. It reports whether owner has it, and returns the row as it is. FreeSource gives it back.
//
// SaveSource stores progress and entries and drops those of IDs in one transaction; it and ReviveItems are ErrLost
// unless owner has the lease. ReviveItems makes all items of some states pending and due at once.
//
// What purges a workspace elsewhere in the record removes its sources.
type Store interface {
	PutSource(ctx context.Context, r Row) (version int64, err error)
	Sources(ctx context.Context) ([]Row, error)
	DropSource(ctx context.Context, name, owner string) error
	LeaseSource(ctx context.Context, name, owner string, now, until time.Time) (Row, bool, error)
	FreeSource(ctx context.Context, name, owner string) error
	SaveSource(ctx context.Context, name, owner string, p Progress, put []Entry, drop []string) error
	ReviveItems(ctx context.Context, name, owner string, states []State) error
	SourceItems(ctx context.Context, name string, q Query) ([]Entry, error)
	CountItems(ctx context.Context, name string) (map[State]int, error)
}
