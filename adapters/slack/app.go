package slack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/slack/cache"
	"maru/adapters/slack/gateway"
	"maru/bot"
)

// AppConfig is what a Slack app needs that workspaces install by themselves.
// Config.BotToken is one workspace's that is served beside them, "" for none.
type AppConfig struct {
	Config

	ClientID     string
	ClientSecret string
	Keys         [][]byte // seal tokens in the record: 32 bytes each, the newest first
	PublicURL    string   // how people reach this program, without "/" at the end; "": as the request says
	Teams        []string // ids of workspaces and organisations that may install the app; empty: any

	Owners Owners // lets one of several replicas renew a token; nil: there is one process
	Owner  string // names this process; default random
}

// Owners is a lease that replicas share. Own makes a thing owner's for ttl, or
// prolongs that; false says that another has it. Disown ends it early.
type Owners interface {
	Own(ctx context.Context, name, owner string, ttl time.Duration) (bool, error)
	Disown(ctx context.Context, name, owner string) error
}

// App serves every workspace that has installed one Slack app. It has one door,
// and behind it an [Adapter] a workspace: token, identity, rate limits and all
// caches are that workspace's own.
type App struct {
	services
	cfg   Config
	log   *slog.Logger
	door  *gateway.Door
	app   AppConfig
	vault *vault
	fixed *Adapter // of Config.BotToken, nil without one
	used  *onetime // states of installations that were used

	triggers *lru.Cache[string, *Adapter] // which workspace an interaction is of
	shared   *lru.Cache[string, string]   // by thread of a channel of several workspaces: whose it is
	inside   *lru.Cache[string, insight]  // by workspace and channel: whether the bot sees it
	unknown  *lru.Cache[string, time.Time]

	mu      sync.Mutex
	tenants map[string]*tenant // by workspace, or organisation
	covered map[string]string  // by workspace: the organisation whose installation serves it
	broken  int                // installations whose token Slack or the vault refuses
	synced  bool
}

// NewApp checks c and builds the app; nothing is connected before Run.
func NewApp(c AppConfig) (*App, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	v, err := newVault(c.Keys)
	if err != nil {
		return nil, err
	}
	if c.Owner == "" {
		c.Owner = randomName()
	}
	base := c.withDefaults()
	d := gateway.New(base.gateway())
	p := &App{
		cfg: base, log: base.Logger, door: d, app: c, vault: v, tenants: map[string]*tenant{}, covered: map[string]string{},
		triggers: cache.New[string, *Adapter](4096),
		shared:   cache.New[string, string](4096),
		inside:   cache.New[string, insight](4096),
		unknown:  cache.New[string, time.Time](4096),
	}
	p.services = newServices(p.in)
	p.used = newOnetime(p)
	if c.BotToken != "" {
		p.fixed = newAdapter(base, d, c.BotToken, nil)
	}
	d.Open(p.deliver, p.ready)
	return p, nil
}

// Validate reports everything that is wrong with c at once.
func (c AppConfig) Validate() error {
	base := c.Config
	if base.BotToken == "" {
		base.BotToken = "none" // the workspaces bring their own
	}
	errs := []error{base.Validate()}
	if c.ClientID == "" || c.ClientSecret == "" {
		errs = append(errs, errors.New("slack: client id or secret is empty: set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET from “Basic Information”"))
	}
	if c.Installations == nil {
		errs = append(errs, errors.New("slack: there is nowhere to keep installations"))
	}
	return errors.Join(errs...)
}

// Platform returns "slack".
func (p *App) Platform() string { return Platform }

// Facts implements bot.Adapter: it is that of any [Adapter].
func (p *App) Facts() bot.Facts { return (*Adapter)(nil).Facts() }

// Mount registers the pages of the installation, and with HTTP delivery the
// signed endpoints.
func (p *App) Mount(mux *http.ServeMux, in bot.Intake) {
	p.door.ServeFor(in)
	mux.HandleFunc("GET "+installPath, p.beginInstall)
	mux.HandleFunc("GET "+callbackPath, func(w http.ResponseWriter, r *http.Request) { p.endInstall(w, r, in) })
	p.door.Mount(mux, in)
}

// Run loads the installations, then receives events and renews tokens until ctx
// ends. It returns an error when the app's own tokens are refused.
func (p *App) Run(ctx context.Context, in bot.Intake) error {
	defer p.door.Finish()
	p.door.ServeFor(in)
	if p.fixed != nil {
		if err := p.fixed.web.Identify(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	p.door.Go(func() { p.keep(keeping, in) })
	return p.door.Receive(ctx, in)
}

// Ready returns nil when events can arrive and replies can be sent, and an
// ErrLimited while some workspaces' tokens are refused.
func (p *App) Ready(ctx context.Context) error {
	if p.door.SocketMode() && !p.door.Online() {
		return errors.New("slack: Socket Mode is not connected")
	}
	if err := p.ready(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	broken, all := p.broken, len(p.tenants)
	teams := slices.Sorted(maps.Keys(p.tenants))
	p.mu.Unlock()
	if broken > 0 {
		return fmt.Errorf("slack: %d of %d workspaces must install the app again, `maru installs` says which: %w", broken, all, bot.ErrLimited)
	}
	for _, team := range teams {
		if code := p.unrenewed(team); code != "" {
			return fmt.Errorf("slack: the token of %s was not renewed (%s), it is tried again: %w", team, code, bot.ErrLimited)
		}
	}
	return nil
}

// ready returns nil when it is known who is served.
func (p *App) ready(ctx context.Context) error {
	if p.fixed != nil {
		if _, err := p.fixed.web.AskWho(ctx); err != nil {
			return fmt.Errorf("slack: auth.test: %w", err)
		}
		if err := p.fixed.web.Refusal(); err != nil {
			return err
		}
	}
	p.mu.Lock()
	synced := p.synced
	p.mu.Unlock()
	if synced {
		return nil
	}
	return p.sync(ctx)
}
