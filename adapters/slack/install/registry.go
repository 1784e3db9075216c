package install

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"maru/adapters/lanes/cache"
	"maru/adapters/slack/gateway"
	"maru/adapters/slack/web"
	"maru/bot"
)

// Config is what installations need. Every field but PublicURL, Teams and Owners
// must be set.
type Config struct {
	ClientID     string
	ClientSecret string
	PublicURL    string   // how people reach this program, without "/" at the end; "": as the request says
	Teams        []string // ids of workspaces and organisations that may install the app; empty: any
	Scopes       string   // what the app asks for, with commas

	Installations bot.Installations
	Owners        Owners // lets one of several replicas renew a token; nil: there is one process
	Owner         string // names this process

	Base       *url.URL // of the Web API
	HTTPClient *http.Client
	Log        *slog.Logger
	Now        func() time.Time
	Wait       func(ctx context.Context, d time.Duration) error // sleeps for d or until ctx ends
}

// Site is what serves a workspace.
type Site interface {
	// Client calls the Web API with the workspace's token.
	Client() *web.Client
	// Take commits what an envelope carries.
	Take(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error)
}

// Registry knows who serves which workspace: the installations of the record, with
// their tokens, and the one whose token is configured.
type Registry struct {
	cfg    Config
	vault  *Vault
	leases *leases
	used   *onetime // states of installations that were used
	fixed  Site     // of Config.BotToken, nil without one

	build  func(token string, k web.Keeper) Site // makes what serves a workspace
	spawn  func(func())                          // runs a func that Run waits for
	commit func(ctx context.Context, f func(context.Context) error) error

	unknown *cache.Cache[string, time.Time] // when a workspace that nobody serves was last looked for

	mu      sync.Mutex
	tenants map[string]*tenant // by workspace, or organisation
	covered map[string]string  // by workspace: the organisation whose installation serves it
	broken  int                // installations whose token Slack or the vault refuses
	synced  bool
}

// NewRegistry serves nobody before it has read the record. build makes what serves a
// workspace with a token, and with those that the keeper has after it.
func NewRegistry(c Config, v *Vault, d *gateway.Door, build func(token string, k web.Keeper) Site) *Registry {
	l := &leases{owners: c.Owners, owner: c.Owner, log: c.Log}
	return &Registry{
		cfg: c, vault: v, leases: l, used: newOnetime(l, c.Now), build: build, spawn: d.Go, commit: d.Commit,
		tenants: map[string]*tenant{}, covered: map[string]string{}, unknown: cache.New[string, time.Time](4096),
	}
}

// Fix makes s serve its workspace whatever the record says: its token is configured.
func (r *Registry) Fix(s Site) { r.fixed = s }
