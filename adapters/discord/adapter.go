package discord

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"maru/adapters/discord/account"
	"maru/adapters/discord/event"
	"maru/adapters/discord/inbound"
	"maru/adapters/discord/interact"
	"maru/adapters/discord/outbound"
	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/shard"
	"maru/adapters/discord/task"
	"maru/bot"
	"maru/bot/said"
)

// Adapter connects Discord to the bot: it creates the parts, wires them and routes the bot's
// calls to them. See New.
type Adapter struct {
	cfg Config

	api      *rest.Client
	me       *account.Account
	notes    *notebook
	tasks    *task.Group
	dir      *place.Directory
	reader   *inbound.Reader
	out      *outbound.Sender
	typist   *outbound.Typist
	queue    *event.Queue
	handler  *interact.Handler
	endpoint *interact.Endpoint
	commands *interact.Registrar
	tenants  *tenants
	shards   *shard.Manager
	refused  atomic.Bool // refused after an earlier success, until it is connected again
	over     error       // of the Run that ended for good
}

var (
	_ bot.Adapter   = (*Adapter)(nil)
	_ bot.Editor    = (*Adapter)(nil)
	_ bot.Remover   = (*Adapter)(nil)
	_ bot.Finder    = (*Adapter)(nil)
	_ bot.Dater     = (*Adapter)(nil)
	_ bot.Typer     = (*Adapter)(nil)
	_ bot.Reactor   = (*Adapter)(nil)
	_ bot.Whisperer = (*Adapter)(nil)
	_ bot.Fetcher   = (*Adapter)(nil)
	_ bot.Uploader  = (*Adapter)(nil)
	_ bot.Members   = (*Adapter)(nil)
	_ bot.Historian = (*Adapter)(nil)
	_ bot.Linker    = (*Adapter)(nil)
	_ said.Searcher = (*Adapter)(nil)
	_ said.Reader   = (*Adapter)(nil)
	_ bot.Mounter   = (*Adapter)(nil)
	_ bot.Prober    = (*Adapter)(nil)
	_ bot.Direct    = (*Adapter)(nil)
)

// New creates an adapter. It makes no request; Run connects.
func New(cfg Config) (*Adapter, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	key, err := publicKey(cfg.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("discord: %w", err)
	}
	cfg = cfg.withDefaults()
	told := place.NewMap()
	a := &Adapter{cfg: cfg, notes: &notebook{}, tasks: task.New(cfg.Logger), api: rest.New(rest.Config{
		Token: cfg.Token, APIURL: cfg.APIURL, HTTPClient: cfg.HTTPClient, Now: cfg.Now, Wait: cfg.Wait, Server: told.Server,
	})}
	a.me = account.New(a.api)
	a.dir = place.New(place.Config{Told: told, API: a.api, Self: a.me, InChannel: cfg.ChannelAnswers, Now: cfg.Now})
	a.out = outbound.NewSender(outbound.Config{
		API: a.api, Self: a.me, Directory: a.dir, Notes: a.notes, InChannel: cfg.ChannelAnswers, Within: cfg.AnswerWithin,
		Log: cfg.Logger, Now: cfg.Now,
	})
	a.typist = outbound.NewTypist(outbound.TypistConfig{API: a.api, Channels: a.dir, Tasks: a.tasks, Log: cfg.Logger, Wait: cfg.Wait})
	a.reader = inbound.New(inbound.Config{
		API: a.api, Files: a.api, Self: a.me, Places: a.dir, Members: a.dir, Tasks: a.tasks, Teller: a.out, InChannel: cfg.ChannelAnswers, Log: cfg.Logger, Apps: cfg.Apps, SearchTime: cfg.SearchTime,
	})
	a.queue = event.NewQueue(event.Config{
		API: a.api, Places: a.dir, Reader: a.reader, Notes: a.notes, Tasks: a.tasks, Log: cfg.Logger, Now: cfg.Now, Wait: cfg.Wait, Reach: cfg.CatchUp,
	})
	a.handler = interact.New(interact.Config{
		API: a.api, Account: a.me, Places: a.dir, Reader: a.reader, Direct: a.out, Tasks: a.tasks, InChannel: cfg.ChannelAnswers,
		Command: cfg.Command, Within: cfg.AnswerWithin, Log: cfg.Logger, Now: cfg.Now, Wait: cfg.Wait,
	})
	a.endpoint = interact.NewEndpoint(key, a.handler)
	a.commands = interact.NewRegistrar(a.api, a.me, a.notes, cfg.Command, cfg.Logger)
	a.tenants = newTenants(a.api, a.me, a.out, a.notes, a.tasks, cfg)
	a.shards = shard.NewManager(shard.Config{
		Token: cfg.Token, API: a.api, Account: a.me, Owners: cfg.Owners, Notes: a.notes, Tasks: a.tasks,
		Log: cfg.Logger, Now: cfg.Now, Wait: cfg.Wait, Jitter: cfg.Jitter,
	})
	return a, nil
}

// Run implements bot.Adapter: it keeps the gateway connected and passes events to in, in the order of their
// channel, until ctx ends. A token refused at the start is returned as an error, and Run may be called again; a
// permanently closed connection is returned again. A later refusal (a reset token, close code 4004) is reported by
// Ready and retried, while the other platforms continue.
func (a *Adapter) Run(ctx context.Context, in bot.Intake) error {
	a.notes.open(in.Notes())
	if a.over != nil {
		return a.over
	}
	a.api.Revive()
	if _, err := shard.Ask(ctx, a.api); errors.Is(err, rest.ErrToken) { // before anything that cannot begin twice
		return rest.ErrToken
	}
	inner, cancel := context.WithCancel(ctx)
	defer a.tasks.Stop()
	defer cancel()
	var running sync.WaitGroup
	defer a.queue.Close(ctx)
	defer running.Wait()
	running.Go(func() { a.queue.Run(inner, in, a.shards.Up) })
	running.Go(func() { a.revive(inner) })
	err := a.connect(inner, a.dispatcher(in))
	cancel()
	if ctx.Err() != nil {
		return nil
	}
	a.over = err
	return err
}

// dispatcher wires the parts to the gateway's events.
func (a *Adapter) dispatcher(in bot.Intake) *dispatcher {
	return &dispatcher{
		in: in, api: a.api, me: a.me, dir: a.dir, queue: a.queue, handler: a.handler, commands: a.commands,
		tenants: a.tenants, tasks: a.tasks, log: a.cfg.Logger,
	}
}

// Ready implements bot.Prober.
func (a *Adapter) Ready(context.Context) error {
	if a.api.Dead() && a.shards.Worked() { // the other platforms continue
		return fmt.Errorf("%w: %w", bot.ErrLimited, rest.ErrToken)
	}
	if a.api.Dead() {
		return rest.ErrToken
	}
	err := a.shards.State()
	if err == nil {
		a.refused.Store(false)
	}
	if err != nil && a.refused.Load() {
		return fmt.Errorf("%w: discord refuses the bot: %w", bot.ErrLimited, err)
	}
	if err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	if a.me.Limited() {
		return account.ErrLimited
	}
	if a.dir.MembersRefused() {
		return place.ErrMembers
	}
	return nil
}
