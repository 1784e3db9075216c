package turn

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/exchange"
	"maru/bot/forecast"
	"maru/bot/learning"
	"maru/bot/place"
	"maru/bot/reply"
)

// ErrUnreadable says that what an item is about cannot be read: nobody ever can.
var ErrUnreadable = errors.New("bot: the item cannot be read")

// Record is the part of the record that turns read and finish their items in.
type Record interface {
	bot.Notes
	Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
	Reply(ctx context.Context, run string) (bot.Reply, error)
	ApprovalByID(ctx context.Context, id string) (bot.Approval, error)
	PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error)
	RunApprovals(ctx context.Context, thread, run string, limit int) ([]bot.Approval, error)
	SaveRun(ctx context.Context, r bot.Run) error
	RunByID(ctx context.Context, id string) (bot.Run, error)
}

// Tries tell how often an item was tried.
type Tries interface {
	// Spent reports whether that is often enough, and Further notes that it got further.
	Spent(ctx context.Context, it bot.Item) (bool, error)
	Further(ctx context.Context, it bot.Item)
}

// Deaths tell which items kill processes.
type Deaths interface {
	// Parks reports whether an item rests from now on.
	Parks(ctx context.Context, it bot.Item) (bool, error)
	// Rested is told before an item rests whose run has begun in its thread's log, and Resting returns it as long
	// as it does; "" for none.
	Rested(ctx context.Context, thread, item string) error
	Resting(ctx context.Context, thread string) (item string, err error)
}

// Leases are kept alive while their threads are worked on.
type Leases interface {
	Renew(ctx context.Context, l bot.Lease) error
}

// Jobs do the background work that follows from answers. Wake has them look for some.
type Jobs interface {
	Wake()
}

// Expiries removes what a place keeps no longer, as an item says. The error is
// [ErrUnreadable] if that says nothing.
type Expiries interface {
	Expire(ctx context.Context, l bot.Lease, it bot.Item) error
}

// Memories answers people who ask what is remembered of them.
type Memories interface {
	Asked(text string) bool
	Own(ctx context.Context, m bot.Message, lang string) (string, error)
}

// Schedules offers to keep what a message wants done later; text is "" if it wants nothing such.
type Schedules interface {
	Offer(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error)
}

// Notes keeps, lists and forgets what a channel wants remembered; text is "" if a message wants nothing such. Offer asks
// whether to keep a statement; text is "" if it is not offered. Withdraw removes the note that a deleted message asked for.
type Notes interface {
	Hear(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error)
	Offer(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error)
	Withdraw(ctx context.Context, t bot.Thread, u bot.User, message string) error
}

// Gaps reports what was asked in a channel and not answered.
type Gaps interface {
	Report(ctx context.Context, channel bot.Thread, lang string) (text string, buttons []bot.Button, err error)
}

// Searches let the run that answers a message search what people wrote on its platform.
type Searches interface {
	// Begin does so until end is called; without are scopes in which nothing can be searched.
	Begin(m bot.Message, a bot.Adapter) (without []string, end func())
}

// Config is what Turns are made of. All of it is needed but Deaths, Schedules, Searches, Addressed and TraceURL.
type Config struct {
	Record    Record
	Runner    *agent.Runner
	Rules     *place.Rules
	Questions *approval.Questions
	Replies   *reply.Replies
	Follows   *reply.Follows
	Learner   *learning.Learner
	Runs      *Runs
	Files     *Files
	Redos     *Redos
	Tries     Tries
	Deaths    Deaths // nil: nothing is parked
	Leases    Leases
	Jobs      Jobs
	Expiries  Expiries
	Memories  Memories
	Notes     Notes
	Gaps      Gaps
	Schedules Schedules // nil: nothing is kept for later
	Searches  Searches  // nil: no messages are searched
	Forecasts Forecasts // nil: plans are not estimated
	Adapters  bot.Platforms
	Observe   bot.Observer
	Log       *slog.Logger
	Now       func() time.Time
	// Addressed decides whether the last words of a conversation between several
	// people were said to the bot, asking the model that the place has chosen; nil: by a rule of thumb.
	Addressed func(ctx context.Context, model string, before []agent.Turn, said agent.Turn) (bool, error)
	AgentWait time.Duration // how long a run that was broken off waits for its agent
	Poll      time.Duration // how often it looks for it
	TraceURL  string        // prefix of the page that shows a run's trace
	// Traced is told each run when it is over, with its events from its beginning; nil: nobody is. It must
	// not block.
	Traced func(ctx context.Context, r bot.Run, events []agent.Event)
	// Exchanges keeps the prompts and replies of runs; nil: nobody does.
	Exchanges exchange.Store
}

// Forecasts estimates what a plan will use, as a line for its card, "" for none.
type Forecasts interface {
	Line(ctx context.Context, p forecast.Plan) string
}

// Turns takes items to their answers. It is safe for concurrent use.
type Turns struct {
	record          Record
	runner          *agent.Runner
	rules           *place.Rules
	questions       *approval.Questions
	replies         *reply.Replies
	follows         *reply.Follows
	learner         *learning.Learner
	runs            *Runs
	files           *Files
	redos           *Redos
	tries           Tries
	deaths          Deaths
	leases          Leases
	jobs            Jobs
	expiries        Expiries
	memories        Memories
	notes           Notes
	gaps            Gaps
	schedules       Schedules
	searches        Searches
	forecasts       Forecasts
	adapters        bot.Platforms
	observe         bot.Observer
	log             *slog.Logger
	now             func() time.Time
	byModel         func(ctx context.Context, model string, before []agent.Turn, said agent.Turn) (bool, error)
	agentWait, poll time.Duration
	traceURL        string
	traced          func(ctx context.Context, r bot.Run, events []agent.Event)
	exchanges       exchange.Store
}

// New returns Turns.
func New(c Config) *Turns {
	return &Turns{
		record: c.Record, runner: c.Runner, rules: c.Rules, questions: c.Questions, replies: c.Replies, follows: c.Follows, learner: c.Learner,
		runs: c.Runs, files: c.Files, redos: c.Redos, tries: c.Tries, deaths: c.Deaths, leases: c.Leases, jobs: c.Jobs, expiries: c.Expiries, memories: c.Memories, notes: c.Notes, gaps: c.Gaps, schedules: c.Schedules, searches: c.Searches, forecasts: c.Forecasts,
		adapters: c.Adapters, observe: c.Observe, log: c.Log, now: c.Now, byModel: c.Addressed, agentWait: c.AgentWait, poll: c.Poll, traceURL: c.TraceURL, traced: c.Traced, exchanges: c.Exchanges,
	}
}
