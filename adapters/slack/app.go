package slack

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/install"
	"maru/adapters/slack/web"
	"maru/bot"
)

// AppConfig configures a distributed Slack app. Config.BotToken optionally adds one workspace
// with a fixed token; "" for none.
type AppConfig struct {
	Config

	ClientID     string
	ClientSecret string
	Keys         [][]byte // seal tokens in the record: 32 bytes each, newest first
	PublicURL    string   // public base URL without a trailing "/"; "": taken from the request
	Teams        []string // IDs of the workspaces and organisations that may install the app; empty: any

	Owners Owners // elects the replica that renews a token; nil: single process
	Owner  string // identifies this process; default random
}

// Owners is a lease shared by the replicas.
type Owners = install.Owners

// App serves every workspace that has installed one Slack app. It has one door and one site
// per workspace: tokens, identity, rate limits and caches are never shared between
// workspaces.
type App struct {
	services
	*install.Pages
	door   *gateway.Door
	reg    *install.Registry
	router *install.Router
}

var (
	_ bot.Adapter = (*App)(nil)
	_ bot.Mounter = (*App)(nil)
	_ bot.Prober  = (*App)(nil)
)

// NewApp validates c and builds the app. It connects to nothing before Run.
func NewApp(c AppConfig) (*App, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	v, err := install.NewVault(c.Keys)
	if err != nil {
		return nil, err
	}
	base := c.withDefaults()
	ic := c.installations(base)
	d := gateway.New(base.gateway())
	build := func(token string, k web.Keeper) install.Site { return newSite(base, d, token, k) }
	reg := install.NewRegistry(ic, v, d, build)
	if c.BotToken != "" {
		reg.Fix(build(c.BotToken, nil))
	}
	router := install.NewRouter(ic, reg, d.Notes)
	p := &App{door: d, reg: reg, router: router, Pages: install.NewPages(ic, reg, d.Ours)}
	p.services = newServices(base, func(ctx context.Context, op, team string) (*site, error) {
		s, err := reg.In(ctx, op, team)
		own, _ := s.(*site) // built above
		return own, err
	}, func(trigger string) (*site, bool) {
		s, ok := router.ByTrigger(trigger)
		own, _ := s.(*site)
		return own, ok
	})
	d.Open(p.router.Deliver, reg.Ready)
	return p, nil
}

// installations derives the configuration of package install.
func (c AppConfig) installations(base Config) install.Config {
	if c.Owner == "" {
		c.Owner = install.RandomName()
	}
	return install.Config{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, PublicURL: c.PublicURL, Teams: c.Teams, Scopes: base.scopes,
		Installations: c.Installations, Owners: c.Owners, Owner: c.Owner,
		Base: base.base(), HTTPClient: base.HTTPClient, Log: base.Logger, Now: base.Now, Wait: base.Wait,
	}
}

// Validate reports all faults of c at once.
func (c AppConfig) Validate() error {
	base := c.Config
	base.BotToken = cmp.Or(base.BotToken, "none") // each workspace brings its own token
	errs := []error{base.Validate()}
	if c.ClientID == "" || c.ClientSecret == "" {
		errs = append(errs, errors.New("slack: client id or secret is empty: set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET from “Basic Information”"))
	}
	if c.Installations == nil {
		errs = append(errs, errors.New("slack: no store for the installations is configured"))
	}
	return errors.Join(errs...)
}

// Mount registers the OAuth pages and, with HTTP delivery, the signed endpoints.
func (p *App) Mount(mux *http.ServeMux, in bot.Intake) {
	p.door.ServeFor(in)
	p.Pages.Mount(mux, in)
	p.door.Mount(mux, in)
}

// Run loads the installations, then receives events and renews tokens until ctx ends. It
// returns an error when Slack refuses the app's own tokens.
func (p *App) Run(ctx context.Context, in bot.Intake) error {
	defer p.door.Finish()
	p.door.ServeFor(in)
	if err := p.reg.Identify(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	p.door.Go(func() { p.reg.Keep(keeping, in) })
	return p.door.Receive(ctx, in)
}

// Ready returns nil when events can arrive and replies can be sent, and an ErrLimited while
// Slack refuses the tokens of some workspaces.
func (p *App) Ready(ctx context.Context) error {
	if p.door.SocketMode() && !p.door.Online() {
		return errors.New("slack: Socket Mode is not connected")
	}
	if err := p.reg.Ready(ctx); err != nil {
		return err
	}
	return p.reg.Healthy()
}

// Check verifies the app's tokens with Slack and lists the served workspaces. An ErrLimited
// names the workspaces that must reinstall the app.
func (p *App) Check(ctx context.Context) (string, error) {
	if err := p.door.CheckSocket(ctx); err != nil {
		return "", err
	}
	return p.reg.Check(ctx)
}
