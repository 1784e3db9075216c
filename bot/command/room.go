// Package command carries out named requests to the bot: the commands, the settings forms, people's home pages,
// and the pages and files of surfaces.
//
// Start with [Table]: one table of commands from which every platform registers its own, help is rendered and
// arguments are completed. Each command is a method of the part for its subject: [Settings], [Docs], [Memory],
// [Usage], [Audit], [Runs] (why), [Status], [Tools], [Forget], [Ask], [Decide]. [Pages] combines them for surfaces
// with pages, [Exports] generates files. [New] builds them from one [Config].
//
// Invariants:
//
//   - A person's rights are checked when a command is carried out, never when a button or
//     a form is shown. Refusals and changes are in the audit log.
//   - What is known of a person, and what a file holds, is shown to nobody else.
//   - A setting is checked against its key's type and limits before it is stored, and its
//     value and audit entry are committed together.
//   - Words are understood in every language of the catalogues, whatever the answer's is.
//
// It must not know how a message is answered or a question is decided: it calls [Turns] and [Questions]. Deletion
// belongs to [maru/bot/privacy].
package command

import (
	"context"
	"log/slog"
	"time"

	"maru/bot"
	"maru/bot/place"
	"maru/bot/privacy"
	"maru/bot/share"
	"maru/bot/tally"
	"maru/memory/longterm"
)

// Turns processes messages for commands.
type Turns interface {
	Message(ctx context.Context, m bot.Message) error
	Redo(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error)
	Stop(ctx context.Context, thread string, before bot.Bound) (bool, error)
	StopOf(ctx context.Context, channel bot.Thread, user string, before bot.Bound) (bool, error) // a person's runs in a channel
	Running(t bot.Thread) int
	AwaitTrace(ctx context.Context, run, thread string) // not long
	Drafts(thread string) []bot.PostedCard
	MaySee(ctx context.Context, t bot.Thread, u bot.User, run string) error
}

// Questions are people's pending questions.
type Questions interface {
	DecideByID(ctx context.Context, id string, a bot.Action, words string) (bot.Answer, error)
	WaitingCard(ctx context.Context, c bot.Invocation, command, lang string) (*bot.Card, error)
	WaitingFrom(ctx context.Context, t bot.Thread, u bot.User) ([]bot.Approval, error)
	CardOf(ctx context.Context, row bot.Approval) (*bot.Card, error) // nil: it is not there
	Waits(ctx context.Context, r bot.Run) []bot.RunWait
}

// Notes stores notes of channels.
type Notes interface {
	Command(ctx context.Context, c bot.Invocation, args, lang string) (*bot.Card, error)
}

// Agents lists the program's agents.
type Agents interface{ Names() []string }

// Models describes the program's models.
type Models struct {
	Choices []string // selectable in settings
	Counted bool     // models report token counts; the built-in one uses none
	Priced  bool     // prices are known
	// Weak lists the agents that need a better model: all but chat with the built-in one.
	Weak []string
}

// Record is the part of the record that commands read.
type Record interface {
	SettingsRecord
	AuditRecord
	tally.Record
	RunRecord
	StatusRecord
	ForgetRecord
	PageRecord
}

// Config holds the dependencies of the parts. All fields are required unless they say what zero means.
type Config struct {
	Record    Record
	Rules     *place.Rules
	Turns     Turns
	Questions Questions
	Forgetter *privacy.Forgetter
	Agents    Agents
	Notes     Notes
	Library   bot.Library
	Memory    *longterm.Memory // nil: nothing is remembered of people
	Toolbox   Toolbox
	Platforms bot.Platforms
	Models    Models
	Ready     func(ctx context.Context) map[string]error // how the record and every platform are
	// Examine checks the parts that the bot does not know, such as the model, concurrently and within ctx; nil:
	// none.
	Examine  func(ctx context.Context) []bot.Finding
	Log      *slog.Logger
	Zone     *time.Location // whose days usage is counted by
	Now      func() time.Time
	MaxFile  int64  // bytes of an uploaded document
	TraceURL string // prefix of the page that shows a run's trace, "" if there is none
	Demo     string // name of the agent that plays the demo, "" if there is none

	// Beside holds the commands of other packages, by name.
	Beside map[string]func(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error)

	ToolServers bool // AroundTools has the actions with which admins add tool servers
	// AroundTools wraps the command "tools"; nil leaves it unchanged.
	AroundTools func(next func(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error)) func(ctx context.Context, c bot.Invocation, lang string) (*bot.Card, error)
}

// Room holds the parts for other packages.
type Room struct {
	*Table
	*Completion
	*Docs
	*Runs
	*Pages
	*Exports

	Settings *Settings
	Memory   *Memory
	Forget   *Forget
}

// New builds the parts.
func New(c Config) Room {
	p := c.Platforms
	sh := share.Sharing{Rules: c.Rules, Library: c.Library, Platforms: p}
	st := &Settings{rules: c.Rules, log: c.Log, record: c.Record, platforms: p, agents: c.Agents, toolbox: c.Toolbox, library: c.Library, models: c.Models}
	au := &Audit{rules: c.Rules, log: c.Log, record: c.Record, platforms: p, now: c.Now}
	us := &Usage{rules: c.Rules, record: c.Record, platforms: p, zone: c.Zone, now: c.Now}
	me := &Memory{rules: c.Rules, notes: c.Notes, log: c.Log, memory: c.Memory, forgetter: c.Forgetter, now: c.Now, sharing: sh}
	dc := &Docs{rules: c.Rules, log: c.Log, library: c.Library, zone: c.Zone, maxFile: c.MaxFile, sharing: sh}
	rn := &Runs{rules: c.Rules, log: c.Log, record: c.Record, turns: c.Turns, questions: c.Questions, memories: me, traceURL: c.TraceURL}
	sa := &Status{rules: c.Rules, log: c.Log, record: c.Record, turns: c.Turns, settings: st, platforms: p, now: c.Now}
	fg := &Forget{rules: c.Rules, record: c.Record, turns: c.Turns, platforms: p, memories: me, forgetter: c.Forgetter}
	tl := &Tools{rules: c.Rules, log: c.Log, toolbox: c.Toolbox, servers: c.ToolServers, ready: c.Ready, examine: c.Examine}
	dm := &Demo{platforms: p, turns: c.Turns, agent: c.Demo}
	ak, de, hp := &Ask{platforms: p, turns: c.Turns}, &Decide{questions: c.Questions}, &Help{platforms: p}
	tb := &Table{rules: c.Rules, log: c.Log, handlers: map[string]run{
		"ask": ak.ask, "docs": dc.command, "memory": me.command, "settings": st.command, "agent": st.agent,
		"usage": us.command, "status": sa.status, "audit": au.command, "why": rn.why, "approve": de.approve,
		"reject": de.reject, "approvers": st.approvers, "tools": tl.tools, "stop": sa.stop, "redo": c.Turns.Redo,
		"reset": fg.reset, "forget": fg.forget, "doctor": tl.doctor, "demo": dm.demo, "help": hp.help,
	}}
	if c.AroundTools != nil {
		tb.handlers["tools"] = c.AroundTools(tl.tools)
	}
	for name, do := range c.Beside {
		tb.handlers[name] = do
	}
	return Room{
		Table:      tb,
		Completion: &Completion{rules: c.Rules, log: c.Log, agents: c.Agents, toolbox: c.Toolbox, library: c.Library, settings: st},
		Docs:       dc,
		Runs:       rn,
		Pages:      &Pages{rules: c.Rules, record: c.Record, turns: c.Turns, questions: c.Questions, memories: me, docs: dc},
		Exports:    &Exports{audit: au, usage: us, memories: me},
		Settings:   st, Forget: fg,
		Memory: me,
	}
}
