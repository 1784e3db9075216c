package slack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// Platform is the name of the platform in thread keys.
const Platform = payload.Platform

// Adapter connects one Slack workspace, or one Enterprise Grid organisation.
type Adapter struct {
	*door
	base    *url.URL
	open    atomic.Pointer[access] // with what the Web API is called now
	keeper  keeper                 // nil: the token never changes
	gates   *gates
	users   *userCache
	sent    *sentCache
	replies *replyCache // places of recent interactions, by trigger
	quiet   *lru.Cache[string, time.Time]
	threads *lru.Cache[string, bool] // those known to have a reply
	streams *streams
	members *members

	untitled *lru.Cache[string, bool]      // conversations of the app's own place: whether they want a title
	prompted *lru.Cache[string, time.Time] // where prompts were set
	sessions *lru.Cache[string, string]    // states of agent sessions

	appends  *shares // of drafts that grow a stream
	edits    *shares // of drafts that edit a message
	promises *promises

	refused atomic.Pointer[string] // why Slack takes the token no more; nil while it does
	lacking atomic.Pointer[string] // scopes of the manifest that the token was not given; nil if none

	named atomic.Bool // streams in direct messages must name their recipient

	mu    sync.Mutex
	ident *identity
	fatal error // set when the workspace took the app away
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
	_ bot.Forms     = (*Adapter)(nil)
	_ bot.Fetcher   = (*Adapter)(nil)
	_ bot.Uploader  = (*Adapter)(nil)
	_ bot.Members   = (*Adapter)(nil)
	_ bot.Historian = (*Adapter)(nil)
	_ bot.Linker    = (*Adapter)(nil)
	_ bot.Mounter   = (*Adapter)(nil)
	_ bot.Prober    = (*Adapter)(nil)
)

// New checks c and builds the adapter; nothing is connected before Run.
func New(c Config) (*Adapter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	d := newDoor(c.withDefaults())
	a := newAdapter(d, c.BotToken, nil)
	d.take, d.known = a.handle, func(ctx context.Context) error {
		_, err := a.askWho(ctx)
		return err
	}
	return a, nil
}

// newAdapter builds the part that serves one workspace behind d.
func newAdapter(d *door, token string, k keeper) *Adapter {
	c := d.cfg
	a := &Adapter{
		door: d, base: c.base(), keeper: k,
		gates:   newGates(c),
		sent:    newSentCache(),
		replies: newReplyCache(c.Now),
		quiet:   newCache[string, time.Time](1024),
		threads: newCache[string, bool](8192),
		streams: newStreams(c.Now),
		members: newMembers(),

		untitled: newCache[string, bool](1024),
		prompted: newCache[string, time.Time](1024),
		sessions: newCache[string, string](4096),

		appends:  newShares(c, methodAppend),
		edits:    newShares(c, methodUpdate),
		promises: newPromises(c.Now),
	}
	a.users = newUserCache(a)
	a.gates.freshen, a.gates.heal, a.gates.heard = a.freshen, a.heal, a.heard
	a.gates.place = func() string {
		if id := a.whoami(); id != nil {
			return id.team
		}
		return ""
	}
	a.use(token)
	return a
}

// Platform returns "slack".
func (a *Adapter) Platform() string { return Platform }

// Facts implements bot.Adapter: Slack takes no slash commands in threads, so the
// shortcuts of the manifest do there what they would.
func (a *Adapter) Facts() bot.Facts { return bot.Facts{CommandsInMenus: true} }

// Run asks who the bot is, then receives events until ctx ends. It returns an
// error when the tokens are refused, and nil after an orderly stop.
func (a *Adapter) Run(ctx context.Context, in bot.Intake) error {
	defer a.work.Wait()
	a.serveFor(in)
	if err := a.identify(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	a.work.Go(func() { a.census(ctx, in) })
	if a.socketMode() {
		return a.runSocket(ctx, in)
	}
	a.connected.Store(true)
	defer a.connected.Store(false)
	<-ctx.Done()
	return nil
}

// identity is who the bot is in its workspace.
type identity struct {
	user, bot, team, enterprise, name string
	org                               bool // installed for a whole organisation
}

// whoami returns who the bot is, nil while that is unknown.
func (a *Adapter) whoami() *identity {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ident
}

// identify calls auth.test until it answers; only a refused token is an error.
func (a *Adapter) identify(ctx context.Context) error {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		_, err := a.askWho(ctx)
		if err == nil {
			return nil
		}
		if tokenRefused(err) {
			return fmt.Errorf("slack: auth.test: the bot token was refused, set SLACK_BOT_TOKEN to a valid one: %w", err)
		}
		a.log.WarnContext(ctx, "slack does not answer, trying again", "method", "auth.test", "err", err.Error(), "wait", pause.String())
		if err := a.cfg.Wait(ctx, max(pause, retryAfter(err))); err != nil {
			return err
		}
	}
}

// askWho returns the identity, asking Slack if it is not known yet.
func (a *Adapter) askWho(ctx context.Context) (*identity, error) {
	if id := a.whoami(); id != nil {
		return id, nil
	}
	var r struct {
		TeamID       string `json:"team_id"`
		UserID       string `json:"user_id"`
		BotID        string `json:"bot_id"`
		User         string `json:"user"`
		EnterpriseID string `json:"enterprise_id"`
		Org          bool   `json:"is_enterprise_install"`
	}
	if err := a.call(ctx, methodWho, nil, &r); err != nil {
		return nil, err
	}
	if !a.socketMode() && a.app.Load() == nil {
		a.learnApp(ctx, r.BotID)
	}
	id := &identity{user: r.UserID, bot: r.BotID, team: r.TeamID, enterprise: r.EnterpriseID, name: r.User, org: r.Org}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ident == nil {
		a.ident = id
	}
	return a.ident, nil
}

// learnApp asks which app the bot belongs to. A token that may not ask, or a Slack
// that is slow, leaves that unknown.
func (a *Adapter) learnApp(ctx context.Context, bot string) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.nameWait())
	defer cancel()
	var r struct {
		Bot struct {
			App string `json:"app_id"`
		} `json:"bot"`
	}
	if err := a.call(ctx, "bots.info", url.Values{"bot": {bot}}, &r); err != nil {
		a.log.DebugContext(ctx, "slack does not say which app this is", "err", err.Error())
		return
	}
	if strings.HasPrefix(r.Bot.App, "A") {
		a.app.Store(&r.Bot.App)
	}
}

// Ready returns nil when events can arrive and replies can be sent.
func (a *Adapter) Ready(ctx context.Context) error {
	a.mu.Lock()
	fatal := a.fatal
	a.mu.Unlock()
	switch {
	case fatal != nil:
		return fatal
	case a.socketMode() && !a.connected.Load():
		return errors.New("slack: Socket Mode is not connected")
	case a.whoami() != nil:
		return a.refusal()
	}
	if _, err := a.askWho(ctx); err != nil {
		return fmt.Errorf("slack: auth.test: %w", err)
	}
	return nil
}
