package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"maru/adapters/lanes/cache"
	"maru/bot"
)

const (
	// CallTimeout bounds one request to the Web API.
	CallTimeout = 30 * time.Second
	// grace is how long to wait for a sent call after its caller gave up.
	grace = 3 * time.Second
)

// Config configures a workspace's Web API client. Every field but Limiter, Scopes and
// LearnApp is required.
type Config struct {
	Base       *url.URL // of the Web API, with a trailing slash
	HTTPClient *http.Client
	Log        *slog.Logger
	Now        func() time.Time
	Wait       func(ctx context.Context, d time.Duration) error // sleeps for d or until ctx ends

	Limiter    bot.Limiter   // shares the workspace's limits with other replicas; nil: single process
	EditEvery  time.Duration // minimum interval between two edits of a reply
	PostEvery  time.Duration // minimum interval between two messages in a channel
	StreamLife time.Duration // maximum age of a native stream
	AskWithin  time.Duration // bounds the look-ups for a click

	Scopes   string          // required scopes, comma-separated; "": not compared
	LearnApp func(id string) // receives the ID of the token's app; nil: not looked up
}

// NameWait bounds a message's look-up of its author's name.
func (c Config) NameWait() time.Duration { return c.AskWithin / 4 }

// Client calls the Web API for one workspace or organisation: with the newest token, within
// the rate limits, with safe retries.
type Client struct {
	Config
	open   atomic.Pointer[access] // current token and API client
	keeper Keeper                 // nil: the token never changes
	gates  *gates
	quiet  *cache.Cache[string, time.Time] // until when something is not asked for, by what

	refused atomic.Pointer[string] // error code while Slack refuses the token; nil otherwise
	lacking atomic.Pointer[string] // scopes of the manifest that the token lacks; nil if none
	granted atomic.Pointer[string] // the token's scopes between commas; nil: Slack has not named them

	mu    sync.Mutex
	ident *Identity
	fatal error // set when the workspace uninstalled the app
}

// New calls the Web API with token, and with the tokens that k renews it with.
func New(c Config, token string, k Keeper) *Client {
	w := &Client{Config: c, keeper: k, gates: newGates(c), quiet: cache.New[string, time.Time](1024)}
	w.gates.freshen, w.gates.heal, w.gates.heard = w.Freshen, w.retryWithNewToken, w.noteResult
	w.gates.place = func() string {
		if id := w.Whoami(); id != nil {
			return id.Team
		}
		return ""
	}
	w.Use(token)
	return w
}

// Do runs call within the workspace's rate limits, and again after each 429.
func (w *Client) Do(ctx context.Context, j Job, call func(context.Context) error) error {
	return w.gates.do(ctx, j, call)
}

// Backlog estimates the queueing delay of a new call of a method.
func (w *Client) Backlog(method, channel string) time.Duration {
	return w.gates.backlog(method, channel)
}

// Strict reports whether a method recently got a 429.
func (w *Client) Strict(method string) bool { return w.gates.budget.isStrict(method) }

// Lacks lists the scopes of the manifest that the token lacks, "" if none.
func (w *Client) Lacks() string {
	if list := w.lacking.Load(); list != nil {
		return *list
	}
	return ""
}

// Has reports whether Slack has named a scope as one of the token's.
func (w *Client) Has(scope string) bool {
	list := w.granted.Load()
	return list != nil && strings.Contains(","+*list+",", ","+scope+",")
}
