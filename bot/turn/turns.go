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

// ErrUnreadable marks an item whose content is permanently unreadable.
var ErrUnreadable = errors.New("bot: the item cannot be read")

// Record is the part of the record that Turns needs.
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
	KeepFiles(ctx context.Context, l bot.Lease, run string, from int, files []bot.Artifact) error
}

// Tries decides when to give up on an item.
type Tries interface {
	// Spent reports whether to give up. Further notes that an item made progress.
	Spent(ctx context.Context, it bot.Item) (bool, error)
	Further(ctx context.Context, it bot.Item)
}

// Deaths detects items that crash processes.
type Deaths interface {
	// Parks reports whether to park an item.
	Parks(ctx context.Context, it bot.Item) (bool, error)
	// Parked is told after an item was parked.
	Parked(ctx context.Context, it bot.Item) error
	// Rested is told before an item rests whose run has begun in its thread's log; Resting returns such items until
	// they are finished.
	Rested(ctx context.Context, thread, item string) error
	Resting(ctx context.Context, thread string) (items []string, err error)
}

// Leases renews the lease of the thread being processed.
type Leases interface {
	Renew(ctx context.Context, l bot.Lease) error
}

// Jobs runs background jobs. Wake makes it look for new ones.
type Jobs interface {
	Wake()
}

// Expiries applies a retention item. The error is [ErrUnreadable] if the item cannot be
// read.
type Expiries interface {
	Expire(ctx context.Context, l bot.Lease, it bot.Item) error
}

// Self answers questions about the bot's set-up and about what it remembers of their author; text is "" for other messages.
type Self interface {
	Answer(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error)
}

// Schedules offers to schedule a request, and takes a decision as the answer to the schedule shown last; text is "" if there is none.
type Schedules interface {
	Decided(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error)
	Offer(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error)
}

// Notes stores, lists and deletes a channel's notes on request; text is "" if a message makes no such request. Offer offers
// to store a statement; text is "" if it does not qualify. Withdraw removes the note of a deleted message.
type Notes interface {
	Hear(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error)
	Offer(ctx context.Context, m bot.Message, lang string) (text string, buttons []bot.Button, err error)
	Withdraw(ctx context.Context, t bot.Thread, u bot.User, message string) error
}

// Gaps reports a channel's unanswered questions.
type Gaps interface {
	Report(ctx context.Context, channel bot.Thread, lang string) (text string, buttons []bot.Button, err error)
}

// Searches lets a message's run search the messages of its platform, and reads the channel that a message asks about.
type Searches interface {
	// Asks reports whether a message asks what was said in a channel that its platform and scopes let read, and Talk reads it: without talk,
	// note is the answer, else it is below the answer. doing shows what it does meanwhile.
	Asks(m bot.Message, a bot.Adapter, scopes []string) bool
	Talk(ctx context.Context, m bot.Message, a bot.Adapter, lang string, zone *time.Location, doing func(string)) (talk *agent.Talk, note string)
	// Begin enables the search until end is called; without lists the scopes that cannot be searched.
	Begin(m bot.Message, a bot.Adapter) (without []string, end func())
}

// Config holds the dependencies of Turns. All fields but Deaths, Schedules, Searches, Addressed and TraceURL are required.
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
	Deaths    Deaths // nil: no item is parked
	Leases    Leases
	Jobs      Jobs
	Expiries  Expiries
	Self      Self
	Notes     Notes
	Gaps      Gaps
	Schedules Schedules // nil: no schedules
	Searches  Searches  // nil: no message search
	Forecasts Forecasts // nil: no usage estimates for plans
	Adapters  bot.Platforms
	Observe   bot.Observer
	Log       *slog.Logger
	Now       func() time.Time
	// Addressed asks the channel's model whether the last message of a conversation between several
	// people is for the bot; nil: a rule decides.
	Addressed func(ctx context.Context, model string, before []agent.Turn, said agent.Turn) (bool, error)
	AgentWait time.Duration // limit on an interrupted run's wait for its agent
	Poll      time.Duration // interval of that wait's checks
	TraceURL  string        // prefix of the page that shows a run's trace
	// Traced, if not nil, is called with each finished run and all of its events. It must
	// not block.
	Traced func(ctx context.Context, r bot.Run, events []agent.Event)
	// Exchanges stores the prompts and replies of runs; nil: they are not stored.
	Exchanges exchange.Store
}

// Forecasts estimates a plan's usage as a line for its card, "" if it cannot.
type Forecasts interface {
	Line(ctx context.Context, p forecast.Plan) string
}

// Turns processes inbox items. It is safe for concurrent use.
type Turns struct{ cfg Config }

// New returns Turns.
func New(c Config) *Turns { return &Turns{cfg: c} }
