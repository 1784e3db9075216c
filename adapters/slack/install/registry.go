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

// Config configures the installations. Every field but PublicURL, Teams and Owners is
// required.
type Config struct {
	ClientID     string
	ClientSecret string
	PublicURL    string   // public base URL without a trailing "/"; "": taken from the request
	Teams        []string // IDs of the workspaces and organisations that may install the app; empty: any
	Scopes       string   // scopes to request, comma-separated

	Installations bot.Installations
	Owners        Owners // elects the replica that renews a token; nil: single process
	Owner         string // identifies this process

	Base       *url.URL // of the Web API
	HTTPClient *http.Client
	Log        *slog.Logger
	Now        func() time.Time
	Wait       func(ctx context.Context, d time.Duration) error // sleeps for d or until ctx ends
}

// Site serves one workspace.
type Site interface {
	// Client calls the Web API with the workspace's token.
	Client() *web.Client
	// Take commits an envelope.
	Take(ctx context.Context, in bot.Intake, env gateway.Envelope) (gateway.Result, error)
}

// Registry resolves the site of a workspace, from the record's installations with their
// tokens and the one whose token is configured.
type Registry struct {
	cfg    Config
	vault  *Vault
	leases *leases
	used   *onetime // OAuth states that were used
	fixed  Site     // of Config.BotToken, nil without one

	build  func(token string, k web.Keeper) Site // builds the site of a token
	spawn  func(func())                          // runs a func in a goroutine that Run waits for
	commit func(ctx context.Context, f func(context.Context) error) error

	unknown *cache.Cache[string, time.Time] // when a workspace that nobody serves was last looked for

	mu      sync.Mutex
	tenants map[string]*tenant // by workspace, or organisation
	covered map[string]string  // by workspace: the organisation whose installation covers it
	broken  int                // installations whose token Slack or the vault refuses
	synced  bool
}

// NewRegistry returns a registry that serves no workspace until it has read the record. build
// makes the site of a token, and of the tokens that the keeper renews it with.
func NewRegistry(c Config, v *Vault, d *gateway.Door, build func(token string, k web.Keeper) Site) *Registry {
	l := &leases{owners: c.Owners, owner: c.Owner, log: c.Log}
	return &Registry{
		cfg: c, vault: v, leases: l, used: newOnetime(l, c.Now), build: build, spawn: d.Go, commit: d.Commit,
		tenants: map[string]*tenant{}, covered: map[string]string{}, unknown: cache.New[string, time.Time](4096),
	}
}

// Fix makes s serve its workspace regardless of the record: its token is configured.
func (r *Registry) Fix(s Site) { r.fixed = s }
