package shard

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"maru/adapters/discord/account"
	"maru/adapters/discord/gateway"
	"maru/adapters/discord/rest"
	"maru/bot"
)

// The intents of a session: guilds, their messages, direct messages. Message content
// is an intent of its own, which an admin enables in the developer portal.
const (
	intents       = int(discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentDirectMessages)
	intentContent = int(discordgo.IntentMessageContent)
)

// Manager keeps this process's shards connected: it asks how many there are, shares
// them among the replicas, and takes turns in beginning sessions.
type Manager struct {
	id     string // of this process, among those that share the record
	token  string
	api    caller
	me     intentions
	owners Owners
	budget *budget
	events Events
	links  *links
	log    *slog.Logger
	now    func() time.Time
	wait   func(context.Context, time.Duration) error
	jitter func() float64

	mu  sync.Mutex
	why error // why no shard can be connected
}

// Events receives what comes over the connections.
type Events interface {
	// Divide sets the number of shards, before any is connected.
	Divide(shards int)
	// Adopt loads what an earlier owner of the shard has stored.
	Adopt(ctx context.Context, shard int) error
	// Ready is called at the start of a session, with the READY event.
	Ready(ctx context.Context, shard, shards int, ready json.RawMessage)
	// Dispatch takes one event, READY included. It must not block.
	Dispatch(ctx context.Context, kind string, raw json.RawMessage)
	// Missed is called when events of a session are lost for good.
	Missed(ctx context.Context, shard int)
}

// Config holds a manager's dependencies and settings.
type Config struct {
	Token   string // of the bot
	API     caller
	Account intentions
	Owners  Owners // nil: this process owns all shards
	Notes   bot.Notes
	Tasks   spawner
	Log     *slog.Logger
	Now     func() time.Time
	Wait    func(context.Context, time.Duration) error
	Jitter  func() float64
}

// caller makes a request to the API.
type caller interface {
	Do(ctx context.Context, c rest.Call) error
}

// intentions decides whether the session asks for message content.
type intentions interface {
	Limited() bool
	Restrict()
}

// spawner runs work in the background; false after its end.
type spawner interface {
	Spawn(ctx context.Context, f func(context.Context)) bool
}

// NewManager returns a manager; Run connects it.
func NewManager(cfg Config) *Manager {
	return &Manager{
		id: rand.Text(), token: cfg.Token, api: cfg.API, me: cfg.Account, owners: cfg.Owners, links: newLinks(), budget: newBudget(cfg),
		log: cfg.Log, now: cfg.Now, wait: cfg.Wait, jitter: cfg.Jitter,
	}
}

// State returns why not all of this process's shards are connected, or nil.
func (m *Manager) State() error {
	m.mu.Lock()
	why := m.why
	m.mu.Unlock()
	if why != nil {
		return why
	}
	return m.links.state()
}

// Up returns the connected shards.
func (m *Manager) Up() []int { return m.links.up() }

// Worked reports whether this process was ever connected.
func (m *Manager) Worked() bool { return m.links.worked() }

// Run keeps the gateway connected until ctx ends or it can never work. to receives the
// events.
func (m *Manager) Run(ctx context.Context, to Events) error {
	m.events = to
	for {
		var g Info
		err := m.retry(ctx, "ask for the gateway", func(ctx context.Context) (err error) {
			g, err = Ask(ctx, m.api)
			return err
		})
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = m.runShards(ctx, g.shards())
		}
		if ctx.Err() != nil {
			return nil
		}
		if !m.canHelp(ctx, err, g.shards()) {
			m.setDown(err)
			return explain(err)
		}
	}
}

// canHelp reports whether a different attempt can work: without message content, or
// with more shards.
func (m *Manager) canHelp(ctx context.Context, err error, shards int) bool {
	var c *gateway.CloseError
	if !errors.As(err, &c) {
		return false
	}
	switch c.Code {
	case gateway.CloseIntents:
		if m.me.Limited() {
			return false
		}
		m.log.ErrorContext(ctx, "discord lets the bot read only messages that mention it and direct messages", "fix", account.FixContent)
		m.me.Restrict()
		return true
	case gateway.CloseNeedsShards, gateway.CloseInvalidShard:
		g, err := Ask(ctx, m.api)
		return err == nil && g.shards() > shards
	}
	return false
}

func (m *Manager) wanted() int {
	if m.me.Limited() {
		return intents
	}
	return intents | intentContent
}

// explain says what an operator can do about a final close of the gateway.
func explain(err error) error {
	var c *gateway.CloseError
	if errors.Is(err, rest.ErrToken) {
		return rest.ErrToken
	}
	if !errors.As(err, &c) {
		return err
	}
	switch c.Code {
	case gateway.CloseToken:
		return rest.ErrToken
	case gateway.CloseInvalidShard, gateway.CloseNeedsShards:
		return fmt.Errorf("discord: the gateway does not take the number of shards that it names itself (close code %d): try again later", c.Code)
	case gateway.CloseVersion:
		return errors.New("discord: the gateway does not speak this version of the API any more (close code 4012): update the program")
	case gateway.CloseInvalidIntents:
		return errors.New("discord: the gateway does not know the intents that were asked for (close code 4013): update the program")
	case gateway.CloseIntents:
		return errors.New("discord: the gateway refused the intents (close code 4014): look at the “Bot” page of the developer portal")
	}
	return err
}

// retry retries f until it succeeds, can never succeed, or ctx ends.
func (m *Manager) retry(ctx context.Context, what string, f func(context.Context) error) error {
	for n := 0; ; n++ {
		err := f(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil, errors.Is(err, rest.ErrToken):
			m.setDown(err)
			return err
		}
		m.setDown(err)
		m.log.WarnContext(ctx, "discord adapter cannot start yet", "step", what, "err", err)
		if m.wait(ctx, min(200*time.Millisecond<<min(n, 6), 10*time.Second)) != nil {
			return ctx.Err()
		}
	}
}

// runShards keeps this process's shards connected until ctx ends or one of them can
// never work.
func (m *Manager) runShards(ctx context.Context, shards int) error {
	m.events.Divide(shards)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	own := m.ownAll(ctx, &running, shards)
	for i := range shards {
		running.Go(func() {
			if err := own(i, func(ctx context.Context) error { return m.adoptShard(ctx, i, shards) }); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// ownAll returns a function that runs a shard while this process owns it; without
// Owners that is always.
func (m *Manager) ownAll(ctx context.Context, running *sync.WaitGroup, shards int) func(int, func(context.Context) error) error {
	if m.owners == nil {
		return func(_ int, run func(context.Context) error) error { return run(ctx) }
	}
	base, d := leasePrefix(m.token), newDivision(shards)
	running.Go(func() { m.divideShards(ctx, base, d) })
	return func(shard int, run func(context.Context) error) error {
		return m.ownShard(ctx, d, shard, shardName(base, shard, shards), run)
	}
}

// adoptShard adopts a shard's position and runs it.
func (m *Manager) adoptShard(ctx context.Context, shard, shards int) error {
	m.links.open(shard)
	defer m.links.drop(shard)
	if m.retry(ctx, "read notes", func(ctx context.Context) error { return m.events.Adopt(ctx, shard) }) != nil {
		return nil // ctx has ended
	}
	return m.runShard(ctx, shard, shards)
}

// runShard keeps one shard connected until ctx ends.
func (m *Manager) runShard(ctx context.Context, shard, shards int) error {
	err := gateway.New(gateway.Config{
		Token: m.token, Shard: shard, Shards: shards,
		Begin: func(ctx context.Context) (gateway.Start, error) { return m.begin(ctx, shard) },
		Spend: func(ctx context.Context) error { return m.budget.spendIdentify(ctx, shard) },
		Handle: func(ctx context.Context, d gateway.Dispatch) {
			if d.Type == "READY" {
				m.budget.tookTurn(ctx, shard)
				m.events.Ready(ctx, shard, shards, d.Data)
			}
			m.events.Dispatch(ctx, d.Type, d.Data)
		},
		Up:     func() { m.links.set(shard, nil) },
		Down:   func(cause error, _ bool) { m.links.set(shard, cause) },
		Missed: func() { m.events.Missed(ctx, shard) },
		Log:    m.log, Wait: m.wait, Jitter: m.jitter, Proxy: http.ProxyFromEnvironment,
	}).Run(ctx)
	if ctx.Err() != nil {
		m.budget.refundIdentify(context.WithoutCancel(ctx), shard)
	}
	return err
}

// begin waits until a session of a shard may begin and returns its address and intents.
func (m *Manager) begin(ctx context.Context, shard int) (gateway.Start, error) {
	address, err := m.budget.beginSession(ctx, shard)
	if errors.Is(err, rest.ErrToken) {
		err = fmt.Errorf("%w: %w", gateway.ErrStop, err)
	}
	return gateway.Start{Address: address, Intents: m.wanted()}, err
}

// setDown records why no shard can be connected; nil clears it.
func (m *Manager) setDown(why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.why = why
}
