package service

import (
	"cmp"
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

// Config holds the dependencies and limits of a Bot. Zero numbers mean their defaults.
type Config struct {
	Record   bot.Record // stores schedules if it is a [calendar.Store]
	Runner   *agent.Runner
	Library  bot.Library
	Adapters []bot.Adapter
	Resolve  func([]config.Entry) config.Resolved // resolves settings from the stored entries; default config.Resolve on config.Defaults
	Setup    func() config.Config                 // the program's settings, for questions about them; nil: unknown
	Log      *slog.Logger
	Observe  bot.Observer     // nil: no metrics
	Memory   *longterm.Memory // nil: nothing is remembered of people
	Toolbox  command.Toolbox  // nil: no tools

	ToolServers toolserver.Prober // connects to MCP servers that admins add; nil: none are added
	Accounts    *account.Vault    // of people at such servers; nil: there are none
	Searches    turn.Searches     // nil: people's messages are not searched
	// Purge clears caches that may contain a person's words, when they are forgotten; nil: none.
	Purge func(ctx context.Context) error
	// Examine checks the parts that the bot does not know, such as the model, concurrently and within ctx; nil:
	// none.
	Examine func(ctx context.Context) []bot.Finding
	// Traced receives each finished run with its events, and must not block; may be nil.
	Traced  func(ctx context.Context, r bot.Run, events []agent.Event)
	Reflect learning.Reflect // nil: only explicit statements become preferences
	// Listen reports the cost of model calls made outside of a run, by their context; nil: not counted.
	Listen func(ctx context.Context, heard func(agent.Usage)) context.Context
	// Addressed decides whether the last message of a conversation among several people is addressed to the bot;
	// nil: by heuristic.
	Addressed func(ctx context.Context, model string, before []agent.Turn, said agent.Turn) (bool, error)
	// Covers reports whether the documents of scopes, with all of the tags, clearly answer a question; nil:
	// unknown.
	Covers inbox.Covers
	// Workflows returns the triggers of the team's active workflows, by workflow; nil: none.
	Workflows func() map[string][]calendar.Trigger
	Events    bot.Events // carries live events between replicas; nil: each shows its own alone
	// CheckAnswer checks a decision's value against its question's schema; an *AnswerError names the invalid
	// field. nil checks nothing.
	CheckAnswer func(i agent.Interrupt, value json.RawMessage) error

	Zone   *time.Location // whose days usage is counted by; default UTC
	Models []string       // selectable in settings
	Admins []string       // people with the rights of workspace admins: platform ids or "slack/T1/U1"

	Counted bool     // models report token counts; the built-in one uses none
	Priced  bool     // prices are known
	Weak    []string // agents for which the models do not suffice
	Demo    string   // name of the agent that plays the demo, "" if there is none

	Secrets [][]byte     // seal the keys of receipts, the newest first; none: other programs get no approvals
	Calls   *http.Client // reports outcomes of requests to programs, and decides which addresses may be reached; nil: no reports
	LinkAt  string       // public address of a console whose sign-in provides e-mail addresses, "" if there is none
	Issuer  string       // public address of the program, "" if it has none

	Owner      string           // names this process among the replicas
	NewID      func() string    // opaque, unguessable ids; default 128 random bits
	Now        func() time.Time // default time.Now
	Workers    int              // threads worked on at the same time; default 64
	LeaseTTL   time.Duration    // a dead process's threads are taken over after it; default 10 s
	Poll       time.Duration    // interval of searches for unclaimed threads; default 1 s
	Sweep      time.Duration    // interval of searches for due approvals; default 15 s
	Attempts   int              // attempts without progress before an item is given up; default 8
	Standstill time.Duration    // and for how long at least, so that restarts in a row are not held against it; default 2 min
	Patience   time.Duration    // how long a final reply is tried to be delivered; default 15 min
	AgentWait  time.Duration    // how long a run that was broken off waits for its agent, if that is not there; default 10 min
	Refused    time.Duration    // after which a platform that refuses the bot is tried again, at first; default 10 s
	SignOfLife time.Duration    // delay of the placeholder; default 250 ms
	MemoryAge  time.Duration    // retention of memories; default a year
	AuditAge   time.Duration    // retention of the audit log; 0 means forever
	PromptAge  time.Duration    // retention of models' prompts and replies, if the record stores them; 0: not stored
	Sees       bool             // the model may be shown pictures
	Picture    picture.Reader   // decodes them; nil: in this process
	Reads      bool             // the library recognises the text of pictures
	Ears       turn.Transcriber // transcribes recordings; nil: disabled
	Links      *linked.Config   // configuration for reading web links, without the bot's own parts; nil: disabled
	MaxFile    int64            // bytes of an uploaded file; default 20 MiB
	FetchTime  time.Duration    // time limit for a file's download from the platform; default 5 min
	TraceURL   string           // prefix of the page that shows a run's trace, "" if there is none
}

// setDefaults replaces missing and non-positive values.
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
	c.Workers = cmp.Or(max(c.Workers, 0), 64)
	c.Attempts = cmp.Or(max(c.Attempts, 0), 8)
	c.MaxFile = cmp.Or(max(c.MaxFile, 0), 20<<20)
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

// nobody is an observer without metrics.
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
