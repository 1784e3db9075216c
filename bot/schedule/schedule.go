// Package schedule implements schedules: reminders, and questions asked repeatedly. [Schedules] detects requests in
// messages, carries out "/maru schedule" with its cards and form, and enqueues due schedules in the inbox of the thread
// where they were requested.
//
// Its invariants:
//
//   - Repeating schedules, and those that a message may not have meant, start when a person confirms their card.
//   - A due time leads to one item, despite several replicas, crashes and clock changes: the row advances by
//     compare-and-set in the transaction that puts the item.
//   - A schedule runs as an ordinary message of its owner, with the rights that the platform reports then, without admin
//     rights; writing, sending and executing need approval as always.
//   - A workflow's trigger runs where an admin or the workflow's owner enabled it, as an ordinary schedule of that person.
//     Its file defines time and text; its row is updated from it.
//   - Words change only schedules that are there and that the person may change; what they may mean besides is asked. "Move it to 4"
//     changes one that was made or is said in the same conversation, else the message is for the agent.
//     They change it once, also if the turn is repeated after a crash.
//   - A reminder without a time is a draft until the person names one; it is never due before.
//   - The thread is told of runs that were skipped because they were too late, or paused because the owner has left.
//
// It must not know how a message is answered, what an agent is, or how a platform shows a card.
package schedule

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/chore"
	"maru/config"
)

// Control begins the ID of every button and form of a schedule; the row's ID follows. It grants nothing.
const Control = "schedule/"

// fresh is the ID of a row created by its form.
const fresh = "new"

// Rules answer what a person may do in a place.
type Rules interface {
	MembersOnly(ctx context.Context, t bot.Thread, u bot.User, lang string) error
	May(t bot.Thread, u bot.User, want config.Role) bool
	Settings(ctx context.Context, t bot.Thread, u bot.User) (config.Resolved, error)
	ZoneFor(set config.Resolved, u bot.User, personal bool) *time.Location
	Audit(ctx context.Context, t bot.Thread, u bot.User, what string, detail map[string]any)
}

// Threads wakes threads that have new items.
type Threads interface{ Wake(thread string) }

// Past reads what was said: see [bot.Transcripts].
type Past interface {
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
}

// Config holds the dependencies of Schedules. Zero numbers mean their defaults.
type Config struct {
	Store    calendar.Store
	Past     Past
	Rules    Rules
	Threads  Threads
	Adapters bot.Platforms
	// Workflows returns the triggers of the active workflows, by workflow; nil: none.
	Workflows func() map[string][]calendar.Trigger
	Log       *slog.Logger
	Now       func() time.Time
	NewID     func() string
	Poll      time.Duration // interval of checks for due schedules
	Least     time.Duration // between two runs of one schedule; default 15 min
	Late      time.Duration // schedules overdue by more are skipped; default 6 h
}

// Schedules stores and runs schedules. It is safe for concurrent use.
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

// draftAge is the time in which a card can be confirmed.
const draftAge = 7 * 24 * time.Hour

// Run enqueues due schedules until ctx ends.
func (s *Schedules) Run(ctx context.Context) {
	var tidied time.Time
	chore.Every(ctx, s.Log, "schedules", s.Poll, func() {
		s.Sweep(ctx)
		if now := s.Now(); now.Sub(tidied).Abs() > time.Hour {
			tidied = now
			if _, err := s.Store.DropDrafts(ctx, now.Add(-draftAge)); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "remove old schedule drafts", "err", err)
			}
		}
	})
}

// errOff reports that new schedules are disabled.
var errOff = errors.New("schedule: new schedules are switched off")

// full reports that the limit of schedules is reached.
type full struct {
	error

	key  string // of the sentence
	most int
}

// keep stores a row within its limits.
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

// refusable reports whether people are told the reason of a rejection.
func refusable(err error) bool { return errors.Is(err, errOff) || errors.As(err, &full{}) }

// next returns a row's next due time. Times repeated by a clock set back are skipped.
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
	if strings.HasPrefix(r.Zone, "Etc/") { // its sign counts the other way round
		return now.In(zoneOf(r)).Format("UTC-07:00")
	}
	return r.Zone
}

// zoneOf returns the time zone of a row.
func zoneOf(r calendar.Row) *time.Location {
	z, err := time.LoadLocation(r.Zone)
	if err != nil {
		return time.UTC
	}
	return z
}
