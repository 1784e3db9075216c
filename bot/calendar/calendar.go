// Package calendar has the words of schedules: the row of one, and [Store], the part of the record that keeps them.
//
// It knows no clock, no platform and no sentence; maru/bot/schedule decides with it.
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
	// ErrChanged says that the row is not at the version that was to be replaced any more.
	ErrChanged = errors.New("calendar: the schedule was changed meanwhile")
	// ErrFull says that a person or a channel has as many schedules as it may.
	ErrFull = errors.New("calendar: there are too many schedules")
	// ErrPersonFull is the ErrFull of a person.
	ErrPersonFull = fmt.Errorf("%w of one person", ErrFull)
)

// State is what a schedule does.
type State string

// The states of a schedule. Only active ones have a due time.
const (
	Draft  State = "draft"  // shown on a card, and not confirmed yet
	Active State = "active" // runs when it is due
	Paused State = "paused" // a person paused it, or Maru did: see Row.Why
	Done   State = "done"   // it was due once, and is over
)

// Counts reports whether a schedule in this state is listed, and counted by limits.
func (s State) Counts() bool { return s == Active || s == Paused }

// Kind is what a schedule does when it is due.
type Kind string

// The kinds of schedules.
const (
	Ask    Kind = "ask"    // its text is asked in the owner's name: an ordinary run
	Remind Kind = "remind" // its text is posted as it is
)

// Row is a schedule.
type Row struct {
	ID      string      `json:"-"`
	Version int64       `json:"-"` // grows with every change; 0 is not stored yet
	State   State       `json:"-"`
	Due     time.Time   `json:"-"` // the next time it runs, zero unless it is active
	Thread  bot.Thread  `json:"thread"`
	Owner   bot.User    `json:"owner"` // as the platform told when it was made; authority is looked up when it runs
	Kind    Kind        `json:"kind"`
	Text    string      `json:"text"`
	Rule    when.Rule   `json:"rule"`
	Zone    string      `json:"zone"`             // IANA name by which Rule is read
	Lang    string      `json:"lang"`             // of what is said about it
	Asked   string      `json:"asked,omitempty"`  // the message that asked for it, as it was said, while it is a draft
	Source  string      `json:"source,omitempty"` // the trigger of a workflow that it follows, see [Trigger.Source]; "" for a person's
	Agent   string      `json:"agent,omitempty"`  // the agent that answers, "" for that of the channel
	Gaps    *bot.Thread `json:"gaps,omitempty"`   // the channel whose gaps it reports to its owner, nil for none
	Why     string      `json:"why,omitempty"`    // why Maru paused it, for people
	Last    time.Time   `json:"last,omitzero"`    // due time of the last run
	Created time.Time   `json:"created"`          // when it was made
}

// Channel names the row's place, as [Store] lists by it: "slack/T1/C1".
func (r Row) Channel() string { return r.Thread.TeamKey() + "/" + bot.Esc(r.Thread.Channel) }

// Trigger is a time at which a team's workflow runs by itself in the channels in which it is enabled.
type Trigger struct {
	Workflow string // its ID, the name of the agent that runs
	Name     string // of the workflow, for people
	ID       string // among its triggers
	Owner    string // who besides admins may enable it: "slack/T1/U1"; "" for nobody
	Rule     when.Rule
	Zone     string // IANA name by which Rule is read, "" for that of the channel
	Input    string // the message that the workflow runs with
	InThread bool   // the result goes to the thread in which it was enabled, else to the channel
}

// Source is the trigger's name in [Row.Source].
func (t Trigger) Source() string { return t.Workflow + "/" + t.ID }

// Limits bound schedules that are active or paused.
type Limits struct {
	Person  int // of one owner in one workspace
	Channel int // of one channel
}

// Store keeps schedules. Times are the caller's; the store's clock is not asked.
//
// PutSchedule stores a row if the one it holds has r.Version, 0 for none, and returns the new version. The error is
// ErrChanged if it has another. A row that would be active or paused and was not before is ErrFull if its owner or its
// channel has as many as limits says; of many at once no more than that get in. A limit below one counts nothing.
//
// FireSchedule is PutSchedule without limits, committed in one transaction with an item for the inbox, which is known by
// its ID as with Put. It reports whether the row was still at r.Version: of many at once exactly one is told yes, and
// only its item is there.
//
// DropSchedule removes a row, whatever its version; it reports whether there was one. DueSchedules lists active rows due
// at now or before, the longest first. Schedules lists the rows that are active or paused and belong to a channel (see
// [Row.Channel]) or, with a person, to an owner in a workspace, oldest first; AllSchedules lists those of all workspaces, in the same order. SourceSchedules lists those with a Source.
// DropDrafts removes drafts, and those that are done, that were made before a moment.
//
// What forgets a person, a thread or a workspace elsewhere in the record (Unname, Forget, Purge) removes their schedules.
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
