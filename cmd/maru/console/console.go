// Package console gives the pages of the web console their data: it combines the bot, the record, the documents and
// the settings, and checks who may see what.
package console

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"maru/adapters/web"
	"maru/adapters/web/site"
	"maru/agent/catalog"
	"maru/agent/tool"
	"maru/agent/tool/attached"
	"maru/agent/workflow"
	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/command"
	"maru/bot/definition"
	"maru/bot/exchange"
	"maru/bot/outside"
	"maru/bot/overview"
	"maru/bot/service"
	"maru/bot/toolserver"
	"maru/rag/library"
	"maru/rag/source"
)

// own is the team whose direct conversations belong to the console's owner, terminal that of commands such as
// `maru ask`, which whoever runs the program gives too.
const (
	own      = "web/local"
	terminal = "console/local"
)

// owners reports whether a team's direct conversations are those of whoever runs the program.
func owners(team string) bool { return team == own || team == terminal }

// Record is the part of the record that the pages read.
type Record interface {
	bot.Record
	overview.Store
	calendar.Store
	source.Store
	attached.Store
	outside.Store
	definition.Store
	exchange.Store
}

// Config holds a desk's dependencies.
type Config struct {
	Record    Record
	Library   *library.Library
	Workflows string                                                             // the team's folder of definitions
	Changed   func(context.Context)                                              // called after a workflow was saved; nil: nobody is
	Tools     func() []tool.Spec                                                 // the tools that definitions may call; nil: none
	Toolbox   command.Toolbox                                                    // nil: there are no tools
	Servers   toolserver.Prober                                                  // connects to MCP servers that admins add; nil: there are none
	Adapters  []bot.Adapter                                                      // tell names of places
	Roles     Roles                                                              // of people; nil: none is known
	Trial     Trial                                                              // tries a definition; nil: it cannot be tried
	Reads     func(ctx context.Context, t bot.Thread, user string) (bool, error) // whether somebody reads a channel now; nil: nobody does
	Zone      *time.Location                                                     // of the days of usage; nil is UTC
	Now       func() time.Time
	Log       *slog.Logger // nil: nothing is logged
}

// Desk is the bot with the data of the console's pages.
type Desk struct {
	*service.Bot
	accounts

	places

	cfg Config
}

var (
	_ web.Desk      = (*Desk)(nil)
	_ web.Explainer = (*Desk)(nil)
	_ site.Runs     = (*Desk)(nil)
)

// New returns the desk of a bot.
func New(b *service.Bot, c Config) *Desk {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Zone = zoneOf(c.Zone)
	return &Desk{Bot: b, accounts: accounts{b, c.Record}, cfg: c, places: newPlaces(c)}
}

// allowed refuses everybody but the operator: the lists are about all workspaces.
func allowed(by bot.User) error {
	if by.Operator {
		return nil
	}
	return &bot.Error{Code: bot.CodeNotAllowed}
}

// ListRuns implements site.Runs.
func (d *Desk) ListRuns(ctx context.Context, by bot.User, from bot.Thread, q overview.RunQuery) ([]overview.Run, error) {
	switch {
	case from.TeamKey() == own || from.Team == "": // the owner, and tokens of programs
		if err := allowed(by); err != nil {
			return nil, err
		}
		q.Own = own
		list, err := d.cfg.Record.ListRuns(ctx, q)
		if err != nil {
			return nil, err
		}
		return withRunsOf(ctx, d, q, list, terminal)
	case !by.Operator:
		return ownRuns(ctx, d, by, from, q, nil)
	}
	list, err := d.cfg.Record.ListRuns(ctx, q)
	if err != nil {
		return nil, err
	}
	return ownRuns(ctx, d, by, from, q, list)
}

// Trace implements web.Traces. A run in another person's private conversation comes without words: only its times, its
// steps and its cost.
func (d *Desk) Trace(ctx context.Context, by bot.User, run string) (bot.RunView, error) {
	v, err := d.Bot.Trace(ctx, by, run)
	if err != nil || owners(v.Thread.TeamKey()) {
		return v, err
	}
	private, err := d.cfg.Record.Private(ctx, v.Thread.Key())
	if err != nil || !private {
		return v, err
	}
	return wordless(v), nil
}

// answers is how far back in a thread the answer of a run is looked for.
const answers = 400

// Explain implements web.Explainer.
func (d *Desk) Explain(ctx context.Context, by bot.User, run bot.RunView) (web.Explained, error) {
	out := web.Explained{Drawing: drawing(ctx, d, run, by.Locale)}
	if run.Thread.Direct { // without words
		return out, nil
	}
	var err error
	if out.Read, err = d.passagesRead(ctx, run); err != nil {
		return out, err
	}
	entries, err := d.cfg.Record.Transcript(ctx, run.Thread.Key(), answers)
	if err != nil {
		return out, fmt.Errorf("read answer: %w", err)
	}
	if out.Redo, err = d.redoable(ctx, run); err != nil {
		return out, err
	}
	for _, e := range entries {
		if e.Own && e.Run == run.ID && !e.Deleted {
			out.Answer = e.Text
		}
	}
	return out, nil
}

// drawing draws, for readers of a language, the definition that a run followed, "" if it is not known.
func drawing(ctx context.Context, d *Desk, run bot.RunView, language string) string {
	def, ok := d.definitionOf(ctx, run)
	if !ok {
		return ""
	}
	return workflow.Inline(catalog.Labelled(def, language), workflow.MarksOf(def, run.Events))
}
