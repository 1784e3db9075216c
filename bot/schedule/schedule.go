// Package schedule does what people want done later: reminders, and questions that are asked again and again. [Schedules]
// offers to keep what a message asks for, carries out "/maru schedule", its cards and its form, and puts what is due into
// the inbox of the thread where it was asked for.
//
// Its invariants:
//
//   - A schedule that repeats, and one that a message may not have meant, starts when a person confirms its card.
//   - A due time leads to one item, over replicas, kills and clocks that jump: the row moves on by compare-and-set in the
//     transaction that puts the item, and is never due twice for one moment.
//   - What runs is an ordinary message of the owner, with the rights that the platform gives them then and no admin's;
//     what it would write, send or execute asks as always.
//   - The trigger of a workflow runs where an admin or the workflow's owner enabled it, as an ordinary schedule of theirs.
//     Its file says when and with what; a row follows it.
//   - What could not run is told in the thread: skipped because it is too late, or paused because its owner is gone.
//
// It must not know how a message is answered, what an agent is, or how a platform shows a card.
package schedule

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/chore"
	"maru/config"
)

// Control begins the ID of every button and form of a schedule; the row's ID follows. It grants nothing.
const Control = "schedule/"

// fresh stands for the ID of a row that its form makes.
const fresh = "new"

// Rules answer what a person may do in a place.
type Rules interface {
	MembersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error
	May(t bot.Thread, u bot.User, want config.Role) bool
	Settings(ctx context.Context, t bot.Thread, u bot.User) (config.Resolved, error)
	ZoneFor(set config.Resolved, u bot.User, personal bool) *time.Location
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Threads are woken when they have work.
type Threads interface{ Wake(thread string) }

// Config is what Schedules are made of. Numbers that are zero mean their defaults.
type Config struct {
	Store    calendar.Store
	Rules    Rules
	Threads  Threads
	Adapters bot.Platforms
	// Workflows tells the triggers of the workflows that serve now, by workflow; nil: there are none.
	Workflows func() map[string][]calendar.Trigger
	Log       *slog.Logger
	Now       func() time.Time
	NewID     func() string
	Poll      time.Duration // how often it looks for what is due
	Least     time.Duration // between two runs of one schedule; default 15 min
	Late      time.Duration // what is later than this is skipped; default 6 h
}

// Schedules keeps and runs schedules. It is safe for concurrent use.
type Schedules struct {
	Config

	mu     sync.Mutex
	synced map[string][]calendar.Trigger // the triggers that the rows follow
}

// New returns Schedules.
func New(c Config) *Schedules {
	if c.Least <= 0 {
		c.Least = 15 * time.Minute
	}
	if c.Late <= 0 {
		c.Late = 6 * time.Hour
	}
	return &Schedules{Config: c}
}

// draftAge is how long a card can be confirmed.
const draftAge = 7 * 24 * time.Hour

// Run puts what is due into the inbox until ctx ends.
func (s *Schedules) Run(ctx context.Context) {
	var tidied time.Time
	chore.Every(ctx, s.Log, "schedules", s.Poll, func() {
		s.Sweep(ctx)
		if now := s.Now(); now.Sub(tidied).Abs() > time.Hour {
			tidied = now
			if _, err := s.Store.DropDrafts(ctx, now.Add(-draftAge)); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "old drafts of schedules stay", "err", err)
			}
		}
	})
}

// errOff says that no new schedules are allowed where one was to be kept.
var errOff = errors.New("schedule: new schedules are switched off")

// full says that there are as many schedules as a setting allows.
type full struct {
	error

	key  string // of the sentence
	most int
}

// keep stores a row, within the limits of its place.
func (s *Schedules) keep(ctx context.Context, r calendar.Row) error {
	set, err := s.Rules.Settings(ctx, r.Thread, r.Owner)
	if err != nil {
		return err
	}
	most := set.Schedules
	if (most.Person <= 0 || most.Channel <= 0) && r.State != calendar.Paused {
		return errOff
	}
	switch _, err = s.Store.PutSchedule(ctx, r, calendar.Limits(most)); {
	case errors.Is(err, calendar.ErrPersonFull):
		return full{err, "schedule.full_person", most.Person}
	case errors.Is(err, calendar.ErrFull):
		return full{err, "schedule.full_channel", most.Channel}
	}
	return err
}

// refusable reports whether a person is told why a row was not kept.
func refusable(err error) bool { return errors.Is(err, errOff) || errors.As(err, &full{}) }

// next is when a row is due next. A due time that a clock put back shows again is over.
func (s *Schedules) next(r calendar.Row) time.Time {
	now := s.Now()
	if r.Last.After(now) {
		now = r.Last
	}
	return r.Rule.Next(now, zoneOf(r))
}

// zoneName names a row's time zone for people: the machine's own by its abbreviation.
func zoneName(r calendar.Row, now time.Time) string {
	if z := zoneOf(r); z == time.Local {
		return now.In(z).Format("MST")
	}
	return r.Zone
}

// zoneOf is the time zone by which a row is read.
func zoneOf(r calendar.Row) *time.Location {
	z, err := time.LoadLocation(r.Zone)
	if err != nil {
		return time.UTC
	}
	return z
}
