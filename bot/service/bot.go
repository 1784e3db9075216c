// Package service builds the packages of [bot] and connects them: events go to the inbox, its items to the turns,
// and named requests to the commands.
//
// It decides nothing itself. It must not know the content of messages, how they are answered, or what a platform
// is.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"maru/agent/tool/attached"
	"maru/bot"
	"maru/bot/account"
	"maru/bot/approval"
	"maru/bot/audience"
	"maru/bot/calendar"
	"maru/bot/chore"
	"maru/bot/cited"
	"maru/bot/command"
	"maru/bot/desk"
	"maru/bot/exchange"
	"maru/bot/forecast"
	"maru/bot/gap"
	"maru/bot/inbox"
	"maru/bot/learning"
	"maru/bot/linked"
	"maru/bot/note"
	"maru/bot/parking"
	"maru/bot/place"
	"maru/bot/privacy"
	"maru/bot/reply"
	"maru/bot/schedule"
	"maru/bot/seal"
	sources "maru/bot/source"
	"maru/bot/standing"
	"maru/bot/toolserver"
	"maru/bot/turn"
	"maru/config"
	"maru/rag/source"
)

// Bot combines all packages for adapters and programs. It implements [bot.Intake].
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
	down             down // platforms that refuse the bot
	parcels          *reply.Parcels
	questions        *approval.Questions
	rules            *place.Rules
	forgetter        *privacy.Forgetter
	learner          *learning.Learner
	keeper           *privacy.Keeper
	notes            *note.Notes
	desk             *desk.Desk          // nil: the record has no tokens
	accounts         *account.Desk       // nil: no accounts at tool servers
	toolServers      *toolserver.Servers // nil: none are added
	gaps             *gap.Gaps
	cited            *cited.Sources
	parked           *parking.Parked     // nil: the record parks nothing
	schedules        *schedule.Schedules // nil: the record has no schedules
	readers          *audience.Audience  // nil: no document has its own readers
	*turn.Runs                           // active runs
	*turn.Turns                          // items to their answers
	*turn.Redos                          // repetition of tasks
	*inbox.Intake                        // events of adapters
	*privacy.Tenants                     // installations and their removal
	command.Room                         // commands
}

// AllowedIn lists the standing permissions of a thread's channel.
func (b *Bot) AllowedIn(ctx context.Context, t bot.Thread) ([]place.Allowed, error) {
	return b.rules.AllowedIn(ctx, t)
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
		adapters: make(bot.Platforms, len(cfg.Adapters)), down: down{why: map[string]error{}},
	}
	b.chores = chore.New(cfg.Log)
	died := b.makeParking()
	b.workers = inbox.New(inbox.Config{
		Record: cfg.Record, Turns: b, Deaths: died.items, Log: cfg.Log, Now: cfg.Now, Owner: cfg.Owner, Workers: cfg.Workers, LeaseTTL: cfg.LeaseTTL, Poll: cfg.Poll,
	})
	b.Runs = turn.NewRuns(turn.RunsConfig{Record: cfg.Record, Asks: asks{b}, Woken: b.workers.Woken(), Owner: cfg.Owner, Log: cfg.Log})
	var restricted place.Restricted
	if index, ok := cfg.Library.(audience.Index); ok {
		b.readers = audience.New(audience.Config{Index: index, Record: cfg.Record, Adapters: b.adapters, Log: cfg.Log, Now: cfg.Now})
		restricted = b.readers
	}
	b.rules = place.New(place.Config{
		Record: cfg.Record, Log: cfg.Log, Resolve: cfg.Resolve, Facts: b.adapters.Facts, Admins: cfg.Admins,
		Remembers: cfg.Memory != nil, Zone: cfg.Zone, Now: cfg.Now, Listen: cfg.Listen, Restricted: restricted,
	})
	for _, a := range cfg.Adapters {
		if b.adapters[a.Platform()] != nil {
			panic("service: two adapters for platform " + a.Platform())
		}
		b.adapters[a.Platform()] = a
	}
	b.replies = reply.New(reply.Config{
		Record: cfg.Record, Adapters: b.adapters, Workers: threads{b.workers, b.Runs, cfg.Record}, Chores: b.chores, Observe: cfg.Observe, Languages: b.rules,
		Log: cfg.Log, Now: cfg.Now, LeaseTTL: cfg.LeaseTTL, Patience: cfg.Patience, SignOfLife: cfg.SignOfLife,
	})
	b.questions = approval.New(approval.Config{
		Record: cfg.Record, Rules: b.rules, Threads: threads{b.workers, b.Runs, cfg.Record}, Replies: b.replies, Adapters: b.adapters, Log: cfg.Log, Now: cfg.Now, NewID: cfg.NewID, CheckAnswer: cfg.CheckAnswer, HasAccount: hasAccount(cfg.Accounts),
	})
	b.parcels = &reply.Parcels{Record: cfg.Record, Adapters: b.adapters, Observe: cfg.Observe, Sees: b.questions, Log: cfg.Log}
	b.follows = reply.NewFollows(reply.FollowConfig{Record: cfg.Record, Asks: b.questions, Sees: b.questions, Events: cfg.Events, NewID: cfg.NewID, Log: cfg.Log})
	b.Intake = inbox.NewIntake(inbox.IntakeConfig{
		Record: cfg.Record, Rules: b.rules, Runs: b, Questions: b.questions, Workers: b.workers, Replies: b.replies, Chores: b.chores,
		Adapters: b.adapters, Observe: cfg.Observe, Log: cfg.Log, Now: cfg.Now, Covers: cfg.Covers,
	})
	if store, ok := cfg.Record.(calendar.Store); ok {
		b.schedules = schedule.New(schedule.Config{
			Store: store, Past: cfg.Record, Rules: b.rules, Threads: b.workers, Adapters: b.adapters, Log: cfg.Log, Now: cfg.Now, NewID: cfg.NewID, Poll: cfg.Poll, Workflows: cfg.Workflows,
		})
	}
	b.notes = note.New(note.Config{Record: cfg.Record, Library: cfg.Library, Rules: b.rules, Log: cfg.Log, Now: cfg.Now, NewID: cfg.NewID})
	b.gaps = gap.New(gap.Config{Record: cfg.Record, Rules: b.rules, Notes: b.notes, Weekly: b.reports(), Adapters: b.adapters, Now: cfg.Now})
	b.makeRooms()
	b.jobs = inbox.NewJobs(inbox.JobConfig{
		Record: cfg.Record, Deaths: died.jobs, GaveUp: b.gaveUp, Parked: b.jobParked, Log: cfg.Log, Now: cfg.Now, LeaseTTL: cfg.LeaseTTL, Poll: cfg.Poll,
		Do: map[string]func(context.Context, bot.Job) error{
			bot.JobLearn: b.learner.Take, bot.JobFiles: b.parcels.HandOver, bot.JobUnmark: b.replies.TakeMarks, bot.JobClose: b.replies.CloseLeft, bot.JobTwins: b.replies.RemoveTwins,
			bot.JobTell: func(ctx context.Context, j bot.Job) error {
				if b.desk == nil {
					return errors.New("there is no desk")
				}
				return b.desk.CallBack(ctx, j)
			},
		},
	})
	b.makeTurns(died.turns)
	b.cited = cited.New(cited.Config{Reply: cfg.Record.Reply, MaySee: b.MaySee, Passage: b.Room.Passage})
	return b
}

// makeTurns builds the turns, which process inbox items.
func (b *Bot) makeTurns(died turn.Deaths) {
	cfg := b.cfg
	keeps := b.exchanges()
	if cfg.PromptAge <= 0 {
		keeps = nil
	}
	b.controls = turn.NewControls(turn.ControlsConfig{
		Record: cfg.Record, Rules: b.rules, Runs: b.Runs, Memory: cfg.Memory, Chores: b.chores, Adapters: b.adapters, Log: cfg.Log,
	})
	b.Redos = turn.NewRedos(turn.RedosConfig{
		Record: cfg.Record, Runner: cfg.Runner, Rules: b.rules, Questions: b.questions, Runs: b.Runs, Accept: b.Message,
	})
	b.Turns = turn.New(turn.Config{
		Record: cfg.Record, Runner: cfg.Runner, Rules: b.rules, Questions: b.questions, Replies: b.replies, Follows: b.follows, Learner: b.learner,
		Runs: b.Runs, Redos: b.Redos, Leases: b.workers, Jobs: b.jobs, Expiries: expiries{b}, Self: self{b}, Notes: b.notes, Gaps: b.gaps, Schedules: b.offers(), Searches: cfg.Searches, Forecasts: b.forecasts(),
		Files: turn.NewFiles(turn.FilesConfig{
			Library: cfg.Library, Rules: b.rules, Offers: b.questions, Adapters: b.adapters, Log: cfg.Log, MaxFile: cfg.MaxFile, FetchTime: cfg.FetchTime, Sees: cfg.Sees, Reads: cfg.Reads, Ears: cfg.Ears, Web: b.web(), Picture: cfg.Picture,
		}),
		Tries:    &inbox.Tries{Record: cfg.Record, Attempts: cfg.Attempts, Standstill: cfg.Standstill, Now: cfg.Now, Log: cfg.Log},
		Deaths:   died,
		Adapters: b.adapters, Observe: cfg.Observe, Log: cfg.Log, Now: cfg.Now, Addressed: cfg.Addressed, AgentWait: cfg.AgentWait, Poll: cfg.Poll, TraceURL: cfg.TraceURL, Traced: cfg.Traced,
		Exchanges: keeps,
	})
}

// web returns the reader of links, nil if disabled.
func (b *Bot) web() *linked.Reader {
	if b.cfg.Links == nil {
		return nil
	}
	c := *b.cfg.Links
	c.Library, c.Rules, c.MaxFile, c.Time, c.Log, c.Sees = b.cfg.Library, b.rules, b.cfg.MaxFile, b.cfg.FetchTime, b.cfg.Log, b.cfg.Sees
	return linked.New(c)
}

// forecasts estimates plans from the runs that the record lists, nil if it lists none.
func (b *Bot) forecasts() turn.Forecasts {
	if r, ok := b.cfg.Record.(forecast.Record); ok {
		return forecast.New(forecast.Config{Record: r, Rules: b.rules, Log: b.cfg.Log})
	}
	return nil
}

// exchanges returns the store of prompts and replies, nil if the record has none.
func (b *Bot) exchanges() exchange.Store {
	s, _ := b.cfg.Record.(exchange.Store)
	return s
}

// makeRooms builds the packages that depend on the runs and on which only surfaces depend.
func (b *Bot) makeRooms() {
	cfg := b.cfg
	documents, _ := cfg.Library.(privacy.Purger)
	room := privacy.New(privacy.Config{
		Record: cfg.Record, Agents: cfg.Runner, Rules: b.rules, Runs: b, Chores: b.chores, Memory: cfg.Memory, Documents: documents,
		Caches: cfg.Purge, Facts: b.adapters.Facts, Log: cfg.Log, Now: cfg.Now, Sweep: cfg.Sweep, MemoryAge: cfg.MemoryAge, AuditAge: cfg.AuditAge,
		Exchanges: b.exchanges(), PromptAge: cfg.PromptAge,
	})
	b.learner = learning.New(b.rules, cfg.Memory, cfg.Reflect, cfg.Log)
	b.forgetter, b.keeper, b.Tenants = room.Forgetter, room.Keeper, room.Tenants
	beside := map[string]func(context.Context, bot.Invocation, string) (*bot.Card, error){"gaps": b.gaps.Command}
	if store, ok := cfg.Record.(parking.Store); ok {
		b.parked = parking.New(parking.Config{Store: store, Notes: cfg.Record, Rules: b.rules, Wake: b.Wake, WakeJobs: func() { b.jobs.Wake() }, Thread: b.threadOf, Log: cfg.Log})
		beside["retry"] = b.parked.Command
	}
	if b.schedules != nil {
		beside["schedule"] = b.schedules.Command
	}
	if store, ok := cfg.Record.(source.Store); ok {
		vouched := func(t bot.Thread) bool { _, ok := b.adapters[t.Platform].(audience.Mailer); return ok }
		var people sources.People
		if b.readers != nil {
			people = b.readers.People()
		}
		homeless := func(t bot.Thread) bool { return t.Direct && b.adapters.Facts(t.Platform).GlobalAccounts }
		beside["sources"] = (&sources.Sources{People: people, Vouched: vouched, Homeless: homeless, LinkAt: cfg.LinkAt, Store: store, Rules: b.rules, Log: cfg.Log, Now: cfg.Now, Every: config.DefaultEvery, Pages: config.DefaultPages, Depth: config.DefaultDepth}).Command
	}
	if store, ok := cfg.Record.(desk.Record); ok {
		library, _ := cfg.Library.(desk.Library)
		b.desk = desk.New(desk.Config{
			Record: store, Rules: b.rules, Questions: b.questions, Adapters: b.adapters, Library: library, Wake: b.Wake, Message: b.Message, Follow: b.Follow, Withdraw: b.Change,
			Secrets: cfg.Secrets, Issuer: cfg.Issuer, Client: cfg.Calls, Log: cfg.Log, Now: cfg.Now, NewID: cfg.NewID,
		})
		beside["token"] = b.desk.Command
	}
	if cfg.Accounts != nil {
		b.accounts = &account.Desk{Vault: cfg.Accounts, Questions: b.questions, Rules: b.rules, PublicURL: cfg.Issuer, NewID: cfg.NewID, Log: cfg.Log}
		beside["accounts"] = b.accounts.Command
	}
	var aroundTools func(toolserver.Handler) toolserver.Handler
	if store, ok := cfg.Record.(attached.Store); ok && cfg.ToolServers != nil {
		b.toolServers = &toolserver.Servers{Store: store, Prober: cfg.ToolServers, Rules: b.rules, Box: seal.New(cfg.Secrets), Log: cfg.Log, Now: cfg.Now}
		aroundTools = b.toolServers.Around
	}
	servers, permissions := aroundTools, standing.Permissions{Rules: b.rules}
	aroundTools = func(h toolserver.Handler) toolserver.Handler {
		if servers != nil {
			h = servers(h)
		}
		return permissions.Around(h)
	}
	b.Room = command.New(command.Config{
		Beside: beside, AroundTools: aroundTools, ToolServers: servers != nil, Notes: b.notes,
		Record: cfg.Record, Rules: b.rules, Turns: b, Questions: b.questions, Forgetter: b.forgetter, Agents: cfg.Runner, Library: cfg.Library,
		Memory: cfg.Memory, Toolbox: cfg.Toolbox, Platforms: b.adapters, Ready: b.Ready, Examine: cfg.Examine, Log: cfg.Log,
		Models: command.Models{Choices: cfg.Models, Counted: cfg.Counted, Priced: cfg.Priced, Weak: cfg.Weak}, Demo: cfg.Demo,
		Zone: cfg.Zone, Now: cfg.Now, MaxFile: cfg.MaxFile, TraceURL: cfg.TraceURL,
	})
}

// Readers returns the readers of restricted documents; nil if there are none.
func (b *Bot) Readers() *audience.Audience { return b.readers }

// Run runs the bot until ctx ends: it first stops the adapters' intake, then lets runs reach their next
// checkpoint, and returns. Unfinished work resumes at the next start, or on another replica. A permanent error of
// a single adapter ends the bot; one of several adapters is retried.
func (b *Bot) Run(ctx context.Context) error {
	intake, stopIntake := context.WithCancelCause(ctx)
	defer stopIntake(nil)
	// Workers outlive the intake, so that they process the last accepted events; they stop when the adapters have
	// returned.
	work, stopWork := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stopWork(nil)

	var workers sync.WaitGroup
	workers.Go(func() { b.workers.Run(work) })
	workers.Go(func() { b.sweep(work) })
	workers.Go(func() { b.jobs.Run(work) })
	workers.Go(func() { b.keeper.Run(work) })
	if b.schedules != nil {
		workers.Go(func() { b.schedules.Run(work) })
	}
	workers.Go(func() { b.Runs.Watch(work) })
	var adapters sync.WaitGroup
	for _, a := range b.cfg.Adapters {
		adapters.Go(func() {
			if err := b.serve(intake, a); err != nil {
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

// Ready returns, for the record and every platform, the reason why messages cannot be accepted or answered; nil if
// they can.
func (b *Bot) Ready(ctx context.Context) map[string]error {
	state := map[string]error{"record": b.cfg.Record.Ping(ctx)}
	for name, a := range b.adapters {
		if p, ok := a.(bot.Prober); ok {
			state[name] = b.down.limit(name, p.Ready(ctx))
		}
	}
	return state
}

var (
	_ bot.Intake    = (*Bot)(nil)
	_ bot.Completer = (*Bot)(nil)
	_ bot.Exports   = (*Bot)(nil)
	_ bot.Greeter   = (*Bot)(nil)
	_ bot.Homer     = (*Bot)(nil)
	_ bot.Tenants   = (*Bot)(nil)
)
