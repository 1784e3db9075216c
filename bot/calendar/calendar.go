// Package calendar defines schedules: their rows, and [Store], the part of the record that stores them.
//
// It knows no clock, no platform and no sentence; maru/bot/schedule has the logic.
package calendar

import (
	"context"
	"errors"
	"fmt"
	"time"

	"maru/bot"
	"maru/phrase/when"
)

// Errors of a [Store].
var (
	// ErrChanged reports that the row has another version.
	ErrChanged = errors.New("calendar: the schedule was changed meanwhile")
	// ErrFull reports that a person or channel has the maximum number of schedules.
	ErrFull = errors.New("calendar: there are too many schedules")
	// ErrPersonFull is the ErrFull of a person.
	ErrPersonFull = fmt.Errorf("%w of one person", ErrFull)
)

// State is the state of a schedule.
type State string

// The states of a schedule. Only active ones have a due time.
const (
	Draft  State = "draft"  // shown on a card, and not confirmed yet
	Active State = "active" // runs when it is due
	Paused State = "paused" // a person paused it, or Maru did: see Row.Why
	Done   State = "done"   // was due once and is over
)

// Counts reports whether a schedule in this state is listed, and counted by limits.
func (s State) Counts() bool { return s == Active || s == Paused }

// Kind is the action of a schedule.
type Kind string

// The kinds of schedules.
const (
	Ask    Kind = "ask"    // its text is asked in the owner's name: an ordinary run
	Remind Kind = "remind" // posts its text
)

// Row is a schedule.
type Row struct {
	ID       string            `json:"-"`
	Version  int64             `json:"-"` // grows with every change; 0 is not stored yet
	State    State             `json:"-"`
	Due      time.Time         `json:"-"` // the next time it runs, zero unless it is active
	Thread   bot.Thread        `json:"thread"`
	Owner    bot.User          `json:"owner"` // as reported by the platform at creation; rights are looked up at each run
	Kind     Kind              `json:"kind"`
	Text     string            `json:"text"`
	Rule     when.Rule         `json:"rule"`
	Zone     string            `json:"zone"`               // IANA name by which Rule is read
	Lang     string            `json:"lang"`               // of messages about it
	Asked    string            `json:"asked,omitempty"`    // while a draft: the text of the requesting message
	Source   string            `json:"source,omitempty"`   // the trigger of a workflow that it follows, see [Trigger.Source]; "" for a person's
	Channels map[string]string `json:"channels,omitempty"` // as of [bot.Message], of the requesting message
	Agent    string            `json:"agent,omitempty"`    // the agent that answers, "" for that of the channel
	Gaps     *bot.Thread       `json:"gaps,omitempty"`     // the channel whose gaps it reports to its owner, nil for none
	Why      string            `json:"why,omitempty"`      // why Maru paused it, for people
	Last     time.Time         `json:"last,omitzero"`      // due time of the last run
	Ran      int64             `json:"ran,omitempty"`      // Version at which a person last ran it, 0 for never
	Created  time.Time         `json:"created"`            // when it was made
	Wish     *Wish             `json:"wish,omitempty"`     // of a note about other schedules, which is no schedule and Done; nil for a schedule
}

// Wish is a change of other schedules that somebody asked for.
type Wish struct {
	Verb    string   `json:"verb,omitempty"`    // what to do with them
	IDs     []string `json:"ids"`               // of their rows
	Version int64    `json:"version,omitempty"` // of the row when the change was asked for
}

// Channel returns the row's channel, as [Store] lists by it: "slack/T1/C1".
func (r Row) Channel() string { return r.Thread.TeamKey() + "/" + bot.Esc(r.Thread.Channel) }

// Trigger is a time at which a team's workflow runs in the channels where it is enabled.
type Trigger struct {
	Workflow string // its ID, the name of the agent that runs
	Name     string // of the workflow, for people
	ID       string // among its triggers
	Owner    string // person who may enable it besides admins: "slack/T1/U1"; "" for nobody
	Rule     when.Rule
	Zone     string // IANA name by which Rule is read, "" for that of the channel
	Input    string // the message that the workflow runs with
	InThread bool   // posts the result in the thread where it was enabled, otherwise in the channel
}

// Source returns the trigger's name in [Row.Source].
func (t Trigger) Source() string { return t.Workflow + "/" + t.ID }

// Limits limit active and paused schedules.
type Limits struct {
	Person  int // of one owner in one workspace
	Channel int // of one channel
}

// Store stores schedules. Times come from the caller.
//
// PutSchedule stores a row if the stored one has r.Version, 0 for none, and returns the new version; otherwise it
// returns ErrChanged. It returns ErrFull for a row that becomes active or paused if its owner or channel has
// reached its limit, also for concurrent calls. A limit below one means no limit.
//
// FireSchedule is PutSchedule without limits, committed in one transaction with an item for the inbox, which is
// deduplicated by ID as with Put. It reports whether the row was still at r.Version: of concurrent calls exactly
// one succeeds, and only its item is added.
//
// DropSchedule removes a row of any version and reports whether it existed. DueSchedules lists active rows due at
// now or before, longest overdue first. Schedules lists the active or paused rows of a channel (see [Row.Channel])
// or, with a person, of an owner in a workspace, oldest first; AllSchedules lists those of all workspaces, in the
// same order. SourceSchedules lists those with a Source. DropDrafts removes drafts and finished schedules created
// before a time.
//
// Deleting a person, a thread or a workspace elsewhere in the record (Unname, Forget, Purge) removes their
// schedules.
type Store interface {
	PutSchedule(ctx context.Context, r Row, limits Limits) (version int64, err error)
	FireSchedule(ctx context.Context, r Row, it bot.Item) (bool, error)
	DropSchedule(ctx context.Context, id string) (bool, error)
	ScheduleByID(ctx context.Context, id string) (Row, error)
	DueSchedules(ctx context.Context, now time.Time, limit int) ([]Row, error)
	Schedules(ctx context.Context, channel, team, owner string, limit int) ([]Row, error)
	AllSchedules(ctx context.Context) ([]Row, error)
	SourceSchedules(ctx context.Context) ([]Row, error)
	DropDrafts(ctx context.Context, before time.Time) (int, error)
}
