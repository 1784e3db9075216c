// Package place answers what holds where a message comes from: the settings of its
// workspace, channel, thread and person, the language, who may do what, which documents
// a run may read, and what may still be spent today.
//
// Every room of [maru/bot] asks it, so it knows none of them. Its invariants:
//
//   - Settings are merged in one order: program, workspace, channel, thread, person.
//   - A setting changed through this process holds at once; one changed by another
//     replica after half a second, except where [Rules.SettingsNow] is asked, which
//     reads the record. Whatever grants a right asks SettingsNow.
//   - A person's rights come from the platform and from the operator's list of admins,
//     never from a message's words.
//   - A setting of a place can only narrow the scopes that a run may read.
//
// It must not know what a command, a run or a card is.
package place

import (
	"context"
	"log/slog"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/audit"
	"maru/config"
)

// Record is the part of the record that rules are read from and written to.
type Record interface {
	bot.Settings
	AppendAudit(ctx context.Context, e audit.Entry) (audit.Entry, error)
	Usage(ctx context.Context, q bot.UsageQuery) ([]bot.Used, error)
	Spend(ctx context.Context, u bot.Used) error
}

// Restricted are documents with readers of their own.
//
// Scopes returns those scopes of them that everybody may read who reads an answer to u in t, among those within what is read
// there anyway. Hold keeps what a run is given; the error, for people, says that the run goes on from what its audience may
// not read any more.
type Restricted interface {
	Scopes(ctx context.Context, t bot.Thread, u bot.User, within []string) []string
	Hold(ctx context.Context, t bot.Thread, u bot.User, run string, from, scopes []string, lang string) error
}

// Config is what Rules are made of. All fields but Listen and Restricted are needed.
type Config struct {
	Record    Record
	Log       *slog.Logger
	Resolve   func([]config.Entry) config.Resolved // merges what was set over the program's defaults
	Facts     func(platform string) bot.Facts
	Admins    []string // people who may do what workspace admins may: platform ids or "slack/T1/U1"
	Remembers bool     // the program has a long-term memory
	Zone      *time.Location
	Now       func() time.Time
	// Listen reports the cost of model calls that are made with a context outside of a
	// run; nil: nobody counts them.
	Listen func(ctx context.Context, heard func(agent.Usage)) context.Context

	Restricted Restricted // nil: no document has readers of its own
}

// Rules answers questions about places. It is safe for concurrent use.
type Rules struct {
	cfg   Config
	cache *settingsCache
}

// New returns Rules.
func New(cfg Config) *Rules {
	return &Rules{cfg: cfg, cache: &settingsCache{record: cfg.Record, now: cfg.Now}}
}
