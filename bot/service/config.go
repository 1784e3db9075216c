package service

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/account"
	"maru/bot/calendar"
	"maru/bot/command"
	"maru/bot/inbox"
	"maru/bot/learning"
	"maru/bot/linked"
	"maru/bot/picture"
	"maru/bot/toolserver"
	"maru/bot/turn"
	"maru/config"
	"maru/memory/longterm"
)

// Config is what a Bot is made of. Zero values of the numbers mean their
// defaults.
type Config struct {
	Record   bot.Record // keeps schedules where it is a [calendar.Store]
	Runner   *agent.Runner
	Library  bot.Library
	Adapters []bot.Adapter
	Resolve  func([]config.Entry) config.Resolved // what holds in a place, by what was set there; default config.Resolve on config.Defaults
	Log      *slog.Logger
	Observe  bot.Observer     // nil: nobody counts
	Memory   *longterm.Memory // nil: nothing is remembered of people
	Toolbox  command.Toolbox  // nil: no tools are told of

	ToolServers toolserver.Prober // connects to MCP servers that admins add; nil: none are added
	Accounts    *account.Vault    // of people at such servers; nil: there are none
	Searches    turn.Searches     // nil: what people wrote is not searched
	// Purge empties caches that may hold what somebody said, when they want to be
	// forgotten; nil: there are none.
	Purge func(ctx context.Context) error
	// Examine tries the parts that the bot does not know itself, such as the model,
	// all at once and within ctx; nil: there are none.
	Examine func(ctx context.Context) []bot.Finding
	// Traced is told each run when it is over, with its events, and must not block; nil: nobody is.
	Traced  func(ctx context.Context, r bot.Run, events []agent.Event)
	Reflect learning.Reflect // nil: only what is told in so many words becomes a preference
	// Listen lets the model calls that are made with a context outside of a run be
	// heard of, with what they cost; nil: nobody counts them.
	Listen func(ctx context.Context, heard func(agent.Usage)) context.Context
	// Addressed decides whether the last words of a conversation between several
	// people were said to the bot; nil: by a rule of thumb.
	Addressed func(ctx context.Context, model string, before []agent.Turn, said agent.Turn) (bool, error)
	// Covers reports whether the documents of scopes, with all of the tags, clearly answer a question; nil: it is never known.
	Covers inbox.Covers
	// Workflows tells the triggers of the team's workflows that serve now, by workflow; nil: there are none.
	Workflows func() map[string][]calendar.Trigger
	Events    bot.Events // carries live events between replicas; nil: each shows its own alone
	// CheckAnswer checks a decision's value against its question's schema before
	// it counts; an *AnswerError says which field does not fit. nil checks nothing.
	CheckAnswer func(i agent.Interrupt, value json.RawMessage) error

	Zone   *time.Location // whose days usage is counted by; default UTC
	Models []string       // that places may choose from
	Admins []string       // people who may do what workspace admins may: platform ids or "slack/T1/U1"

	Counted bool     // models tell how many tokens they use; the built-in one uses none
	Priced  bool     // it is known what they cost
	Weak    []string // agents for which the models do not suffice
	Demo    string   // name of the agent that plays the demo, "" if there is none

	Secrets [][]byte     // seal the keys of receipts, the newest first; none: other programs get no approvals
	Calls   *http.Client // tells programs how their requests ended: it decides which addresses may be reached; nil: nobody is told
	LinkAt  string       // public address of a console whose sign-in tells addresses of people, "" if there is none
	Issuer  string       // public address of the program, "" if it has none

	Owner      string           // names this process among the replicas
	NewID      func() string    // opaque, unguessable ids; default 128 random bits
	Now        func() time.Time // default time.Now
	Workers    int              // threads worked on at the same time; default 64
	LeaseTTL   time.Duration    // a dead process's threads are taken over after it; default 10 s
	Poll       time.Duration    // how often forgotten work is looked for; default 1 s
	Sweep      time.Duration    // how often due approvals are looked for; default 15 s
	Attempts   int              // how often an item is tried without getting further before it is given up; default 8
	Standstill time.Duration    // and for how long at least, so that restarts in a row are not held against it; default 2 min
	Patience   time.Duration    // how long a final reply is tried to be delivered; default 15 min
	AgentWait  time.Duration    // how long a run that was broken off waits for its agent, if that is not there; default 10 min
	Refused    time.Duration    // after which a platform that refuses the bot is tried again, at first; default 10 s
	SignOfLife time.Duration    // a reply that takes longer shows a placeholder; default 250 ms
	MemoryAge  time.Duration    // what was learned longer ago is removed; default a year
	AuditAge   time.Duration    // entries of the audit log that are older are pruned; 0 keeps them
	PromptAge  time.Duration    // how long prompts and replies of models are kept, if the record can; 0: not at all
	Sees       bool             // the model may be shown pictures
	Picture    picture.Reader   // decodes them; nil: in this process
	Reads      bool             // the library recognises the text of pictures
	Ears       turn.Transcriber // of recordings; nil: they are not heard
	Links      *linked.Config   // how links to the web are read, without what the bot has itself; nil: they are not
	MaxFile    int64            // bytes of an uploaded file; default 20 MiB
	FetchTime  time.Duration    // how long its bytes may come from the platform; default 5 min
	TraceURL   string           // prefix of the page that shows a run's trace, "" if there is none
}

// setDefaults replaces what is missing or not positive.
func (c *Config) setDefaults() {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	def(&c.LeaseTTL, 10*time.Second)
	def(&c.Poll, time.Second)
	def(&c.Refused, 10*time.Second)
	def(&c.Sweep, 15*time.Second)
	def(&c.MemoryAge, 365*24*time.Hour)
	def(&c.Patience, 15*time.Minute)
	def(&c.FetchTime, 5*time.Minute)
	def(&c.Standstill, 2*time.Minute)
	def(&c.AgentWait, 10*time.Minute)
	def(&c.SignOfLife, 250*time.Millisecond)
	if c.Workers <= 0 {
		c.Workers = 64
	}
	if c.Attempts <= 0 {
		c.Attempts = 8
	}
	if c.MaxFile <= 0 {
		c.MaxFile = 20 << 20
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = newID
	}
	if c.Owner == "" {
		c.Owner = c.NewID()
	}
	if c.Observe == nil {
		c.Observe = nobody{}
	}
	if c.Toolbox == nil {
		c.Toolbox = noTools{}
	}
	if c.Resolve == nil {
		c.Resolve = func(set []config.Entry) config.Resolved {
			return config.Resolve(config.Config{Place: config.PlaceDefaults(), Decisions: config.DecisionDefaults(), Memory: config.Memory{On: true}}, set)
		}
	}
}

// nobody is the observer of a program that counts nothing.
type nobody struct{}

func (nobody) Received(string, string)                              {}
func (nobody) Finished(string, string, time.Duration)               {}
func (nobody) FirstToken(string, time.Duration)                     {}
func (nobody) ModelCall(string, agent.Usage, time.Duration, string) {}
func (nobody) ToolCall(string, bool, time.Duration)                 {}
func (nobody) Checked(string, agent.Checked)                        {}
func (nobody) Delivered(string, string, string)                     {}

// newID returns 128 or more unguessable bits as 26 lower-case letters and digits.
func newID() string { return strings.ToLower(rand.Text()) }
