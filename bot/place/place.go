// Package place resolves what applies at a message's origin: the settings of its workspace, channel, thread and
// person, the language, people's rights, the readable documents, and the remaining budgets.
//
// Every sub-package of [maru/bot] uses it, so it imports none of them. Its invariants:
//
//   - Settings are merged in one order: program, workspace, channel, thread, person.
//   - A setting changed through this process applies at once; one changed by another
//     replica after half a second, except for [Rules.SettingsNow], which reads the record.
//     Checks of rights use SettingsNow.
//   - A person's rights come from the platform and from the operator's list of admins,
//     never from message text.
//   - The settings of a channel can only narrow the scopes that a run may read.
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

// Record is the part of the record that rules read and write.
type Record interface {
	bot.Settings
	AppendAudit(ctx context.Context, e audit.Entry) (audit.Entry, error)
	Usage(ctx context.Context, q bot.UsageQuery) ([]bot.Used, error)
	Spend(ctx context.Context, u bot.Used) error
}

// Restricted handles documents with their own readers.
//
// Scopes returns those of their scopes, within the scopes readable there, that every reader of an answer to u in t
// may read. Hold stores the scopes given to a run; its error, for people, reports that the run continues from
// content that its audience may no longer read.
type Restricted interface {
	Scopes(ctx context.Context, t bot.Thread, u bot.User, within []string) []string
	Hold(ctx context.Context, t bot.Thread, u bot.User, run string, from, scopes []string, lang string) error
}

// Config holds the dependencies of Rules. All fields but Listen and Restricted are required.
type Config struct {
	Record    Record
	Log       *slog.Logger
	Resolve   func([]config.Entry) config.Resolved // merges settings over the program's defaults
	Facts     func(platform string) bot.Facts
	Admins    []string // people with the rights of workspace admins: platform ids or "slack/T1/U1"
	Remembers bool     // the program has a long-term memory
	Zone      *time.Location
	Now       func() time.Time
	// Listen reports the cost of model calls made outside of a run, by their context; nil: not counted.
	Listen func(ctx context.Context, heard func(agent.Usage)) context.Context

	Restricted Restricted // nil: no document has its own readers
}

// Rules resolves settings and rights. It is safe for concurrent use.
type Rules struct {
	cfg   Config
	cache *settingsCache
}

// New returns Rules.
func New(cfg Config) *Rules {
	return &Rules{cfg: cfg, cache: &settingsCache{record: cfg.Record, now: cfg.Now}}
}
