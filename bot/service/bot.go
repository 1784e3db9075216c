// Package service makes the rooms of [bot] and connects them: what a surface hands over
// goes to the inbox, its items to the turns, and what people ask for by name to the
// commands.
//
// It decides nothing itself. It must not know what a message says, how it is answered,
// or what a platform is.
package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/chore"
	"maru/bot/command"
	"maru/bot/inbox"
	"maru/bot/learning"
	"maru/bot/place"
	"maru/bot/privacy"
	"maru/bot/reply"
	"maru/bot/turn"
	"maru/config"
	"maru/memory/longterm"
)

// Config is what a Bot is made of. Zero values of the numbers mean their
// defaults.
type Config struct {
	Record   bot.Record
	Runner   *agent.Runner
	Library  bot.Library
	Adapters []bot.Adapter
	Resolve  func([]config.Entry) config.Resolved // what holds in a place, by what was set there; default config.Resolve on config.Defaults
	Log      *slog.Logger
	Observe  bot.Observer     // nil: nobody counts
	Memory   *longterm.Memory // nil: nothing is remembered of people
	Toolbox  bot.Toolbox      // nil: no tools are told of
	// Purge empties caches that may hold what somebody said, when they want to be
	// forgotten; nil: there are none.
	Purge func(ctx context.Context) error
	// Examine tries the parts that the bot does not know itself, such as the model,
	// all at once and within ctx; nil: there are none.
	Examine func(ctx context.Context) []bot.Finding
	Reflect learning.Reflect // nil: only what is told in so many words becomes a preference
	// Listen lets the model calls that are made with a context outside of a run be
	// heard of, with what they cost; nil: nobody counts them.
	Listen func(ctx context.Context, heard func(agent.Usage)) context.Context
	// Addressed decides whether the last words of a conversation between several
	// people were said to the bot; nil: by a rule of thumb.
	Addressed func(ctx context.Context, before []agent.Turn, said agent.Turn) (bool, error)
	Events    bot.Events // carries live events between replicas; nil: each shows its own alone
	// CheckAnswer checks a decision's value against its question's schema before
	// it counts; an *AnswerError says which field does not fit. nil checks nothing.
	CheckAnswer func(i agent.Interrupt, value json.RawMessage) error

	Zone   *time.Location // whose days usage is counted by; default UTC
	Models []string       // that places may choose from
	Admins []string       // people who may do what workspace admins may: platform ids or "slack/T1/U1"

	Counted bool // models tell how many tokens they use; the built-in one uses none
	Priced  bool // it is known what they cost

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
	SignOfLife time.Duration    // a reply that takes longer shows a placeholder; default 250 ms
	MemoryAge  time.Duration    // what was learned longer ago is removed; default a year
	AuditAge   time.Duration    // entries of the audit log that are older are pruned; 0 keeps them
	MaxFile    int64            // bytes of an uploaded file; default 20 MiB
	FetchTime  time.Duration    // how long its bytes may come from the platform; default 5 min
	TraceURL   string           // prefix of the page that shows a run's trace, "" if there is none
}

// Bot is all rooms as one, as adapters and programs see it. It implements [bot.Intake].
type Bot struct {
	cfg              Config
	log              *slog.Logger
	adapters         bot.Platforms
	workers          *inbox.Workers
	controls         *turn.Controls
	jobs             *inbox.Jobs
	chores           *chore.Chores
	follows          *reply.Follows
	replies          *reply.Replies
	parcels          *reply.Parcels
	questions        *approval.Questions
	rules            *place.Rules
	forgetter        *privacy.Forgetter
	learner          *learning.Learner
	keeper           *privacy.Keeper
	*turn.Runs       // those at work
	*turn.Turns      // items to their answers
	*turn.Redos      // tasks that are done once more
	*inbox.Intake    // what adapters hand over
	*privacy.Tenants // workspaces that come and go
	command.Room     // what people ask for by name
}

// New returns a Bot. It panics when a part it cannot work without is missing,
// which is a mistake of the wiring.
func New(cfg Config) *Bot {
	if cfg.Record == nil || cfg.Runner == nil || cfg.Log == nil || cfg.Library == nil {
		panic("service: New needs Record, Runner, Library and Log")
	}
	cfg.setDefaults()
	b := &Bot{
		cfg: cfg, log: cfg.Log,
		adapters: make(bot.Platforms, len(cfg.Adapters)),
	}
	b.chores = chore.New(cfg.Log)
	b.workers = inbox.New(inbox.Config{
		Record: cfg.Record, Turns: b, Log: cfg.Log, Now: cfg.Now, Owner: cfg.Owner, Workers: cfg.Workers, LeaseTTL: cfg.LeaseTTL, Poll: cfg.Poll,
	})
	b.Runs = turn.NewRuns(turn.RunsConfig{Record: cfg.Record, Asks: asks{b}, Woken: b.workers.Woken(), Owner: cfg.Owner, Log: cfg.Log})
	b.rules = place.New(place.Config{
		Record: cfg.Record, Log: cfg.Log, Resolve: cfg.Resolve, Facts: b.adapters.Facts, Admins: cfg.Admins,
		Remembers: cfg.Memory != nil, Zone: cfg.Zone, Now: cfg.Now, Listen: cfg.Listen,
	})
	for _, a := range cfg.Adapters {
		if b.adapters[a.Platform()] != nil {
			panic("service: two adapters for platform " + a.Platform())
		}
		b.adapters[a.Platform()] = a
	}
	b.questions = approval.New(approval.Config{
		Record: cfg.Record, Rules: b.rules, Threads: threads{b.workers, b.Runs}, Adapters: b.adapters, Log: cfg.Log, Now: cfg.Now, NewID: cfg.NewID, CheckAnswer: cfg.CheckAnswer,
	})
	b.parcels = &reply.Parcels{Record: cfg.Record, Adapters: b.adapters, Observe: cfg.Observe, Sees: b.questions, Log: cfg.Log}
	b.follows = reply.NewFollows(reply.FollowConfig{Record: cfg.Record, Asks: b.questions, Sees: b.questions, Events: cfg.Events, NewID: cfg.NewID, Log: cfg.Log})
	b.replies = reply.New(reply.Config{
		Record: cfg.Record, Adapters: b.adapters, Workers: threads{b.workers, b.Runs}, Chores: b.chores, Observe: cfg.Observe, Languages: b.rules,
		Log: cfg.Log, Now: cfg.Now, LeaseTTL: cfg.LeaseTTL, Patience: cfg.Patience, SignOfLife: cfg.SignOfLife,
	})
	b.Intake = inbox.NewIntake(inbox.IntakeConfig{
		Record: cfg.Record, Rules: b.rules, Runs: b, Questions: b.questions, Workers: b.workers, Replies: b.replies, Chores: b.chores,
		Adapters: b.adapters, Observe: cfg.Observe, Log: cfg.Log, Now: cfg.Now,
	})
	b.makeRooms()
	b.jobs = inbox.NewJobs(inbox.JobConfig{
		Record: cfg.Record, GaveUp: b.gaveUp, Log: cfg.Log, Now: cfg.Now, LeaseTTL: cfg.LeaseTTL, Poll: cfg.Poll,
		Do: map[string]func(context.Context, bot.Job) error{
			bot.JobLearn: b.learner.Take, bot.JobFiles: b.parcels.HandOver, bot.JobUnmark: b.replies.TakeMarks,
		},
	})
	b.makeTurns()
	return b
}

// makeTurns makes what takes the items of the inbox to their answers.
func (b *Bot) makeTurns() {
	cfg := b.cfg
	b.controls = turn.NewControls(turn.ControlsConfig{
		Record: cfg.Record, Rules: b.rules, Runs: b.Runs, Memory: cfg.Memory, Chores: b.chores, Adapters: b.adapters, Log: cfg.Log,
	})
	b.Redos = turn.NewRedos(turn.RedosConfig{
		Record: cfg.Record, Runner: cfg.Runner, Rules: b.rules, Questions: b.questions, Runs: b.Runs, Accept: b.Message,
	})
	b.Turns = turn.New(turn.Config{
		Record: cfg.Record, Runner: cfg.Runner, Rules: b.rules, Questions: b.questions, Replies: b.replies, Follows: b.follows, Learner: b.learner,
		Runs: b.Runs, Redos: b.Redos, Leases: b.workers, Jobs: b.jobs, Expiries: expiries{b}, Memories: memories{b},
		Files: turn.NewFiles(turn.FilesConfig{
			Library: cfg.Library, Rules: b.rules, Offers: b.questions, Adapters: b.adapters, Log: cfg.Log, MaxFile: cfg.MaxFile, FetchTime: cfg.FetchTime,
		}),
		Tries:    &inbox.Tries{Record: cfg.Record, Attempts: cfg.Attempts, Standstill: cfg.Standstill, Now: cfg.Now, Log: cfg.Log},
		Adapters: b.adapters, Observe: cfg.Observe, Log: cfg.Log, Now: cfg.Now, Addressed: cfg.Addressed, AgentWait: cfg.AgentWait, Poll: cfg.Poll, TraceURL: cfg.TraceURL,
	})
}

// makeRooms makes the rooms that ask the runs, and are asked by nobody but surfaces.
func (b *Bot) makeRooms() {
	cfg := b.cfg
	documents, _ := cfg.Library.(bot.Purger)
	room := privacy.New(privacy.Config{
		Record: cfg.Record, Agents: cfg.Runner, Rules: b.rules, Runs: b, Chores: b.chores, Memory: cfg.Memory, Documents: documents,
		Caches: cfg.Purge, Facts: b.adapters.Facts, Log: cfg.Log, Now: cfg.Now, Sweep: cfg.Sweep, MemoryAge: cfg.MemoryAge, AuditAge: cfg.AuditAge,
	})
	b.learner = learning.New(b.rules, cfg.Memory, cfg.Reflect, cfg.Log)
	b.forgetter, b.keeper, b.Tenants = room.Forgetter, room.Keeper, room.Tenants
	b.Room = command.New(command.Config{
		Record: cfg.Record, Rules: b.rules, Turns: b, Questions: b.questions, Forgetter: b.forgetter, Agents: cfg.Runner, Library: cfg.Library,
		Memory: cfg.Memory, Toolbox: cfg.Toolbox, Platforms: b.adapters, Ready: b.Ready, Examine: cfg.Examine, Log: cfg.Log,
		Models: command.Models{Choices: cfg.Models, Counted: cfg.Counted, Priced: cfg.Priced},
		Zone:   cfg.Zone, Now: cfg.Now, MaxFile: cfg.MaxFile, TraceURL: cfg.TraceURL,
	})
}

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
		c.NewID = bot.NewID
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

// Run works until ctx ends: it first stops the adapters' intake, then lets runs
// reach their next checkpoint, and returns. Work that is not finished goes on
// with the next start, or on another replica. An adapter that can never work
// ends the bot with its error.
func (b *Bot) Run(ctx context.Context) error {
	intake, stopIntake := context.WithCancelCause(ctx)
	defer stopIntake(nil)
	// Workers outlive the intake, so that what was accepted last is still seen
	// by them; they stop when the adapters have returned.
	work, stopWork := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stopWork(nil)

	var workers sync.WaitGroup
	workers.Go(func() { b.workers.Run(work) })
	workers.Go(func() { b.sweep(work) })
	workers.Go(func() { b.jobs.Run(work) })
	workers.Go(func() { b.keeper.Run(work) })
	workers.Go(func() { b.Runs.Watch(work) })
	var adapters sync.WaitGroup
	for _, a := range b.cfg.Adapters {
		adapters.Go(func() {
			if err := a.Run(intake, b); err != nil && intake.Err() == nil {
				stopIntake(fmt.Errorf("%s: %w", a.Platform(), err))
			}
		})
	}
	<-intake.Done()
	adapters.Wait()
	stopWork(bot.ErrShutdown)
	workers.Wait()
	b.chores.End()
	if err := context.Cause(intake); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Ready says of the record and of every platform why no messages can be accepted or
// answered through it; nil where they can.
func (b *Bot) Ready(ctx context.Context) map[string]error {
	state := map[string]error{"record": b.cfg.Record.Ping(ctx)}
	for name, a := range b.adapters {
		if p, ok := a.(bot.Prober); ok {
			state[name] = p.Ready(ctx)
		}
	}
	return state
}

type nobody struct{}

func (nobody) Received(string, string)                      {}
func (nobody) Finished(string, string, time.Duration)       {}
func (nobody) FirstToken(string, time.Duration)             {}
func (nobody) ModelCall(string, agent.Usage, time.Duration) {}
func (nobody) ToolCall(string, bool, time.Duration)         {}
func (nobody) Checked(string, agent.Checked)                {}
func (nobody) Delivered(string, string, string)             {}

var (
	_ bot.Intake    = (*Bot)(nil)
	_ bot.Completer = (*Bot)(nil)
	_ bot.Exports   = (*Bot)(nil)
	_ bot.Greeter   = (*Bot)(nil)
	_ bot.Homer     = (*Bot)(nil)
	_ bot.Tenants   = (*Bot)(nil)
)
