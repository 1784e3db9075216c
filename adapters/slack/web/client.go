package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"maru/adapters/lanes/cache"
	"maru/bot"
)

const (
	// CallTimeout bounds one request to the Web API.
	CallTimeout = 30 * time.Second
	// grace is how long a call that was sent is waited for when nobody wants what it
	// shows any more.
	grace = 3 * time.Second
)

// Config says how the Web API of a workspace is called. Every field but Limiter,
// Scopes and LearnApp must be set.
type Config struct {
	Base       *url.URL // of the Web API, with a slash at its end
	HTTPClient *http.Client
	Log        *slog.Logger
	Now        func() time.Time
	Wait       func(ctx context.Context, d time.Duration) error // sleeps for d or until ctx ends

	Limiter    bot.Limiter   // shares the workspace's limits with other replicas; nil: there are none
	EditEvery  time.Duration // least time between two edits of a reply
	PostEvery  time.Duration // least time between two messages in a channel
	StreamLife time.Duration // how long a native stream is kept open
	AskWithin  time.Duration // how long a click waits for what Slack is asked

	Scopes   string          // those that the app should have, with commas; "": not compared
	LearnApp func(id string) // is told which app the token is of; nil: Slack is not asked
}

// NameWait is how long a message waits for its author's name.
func (c Config) NameWait() time.Duration { return c.AskWithin / 4 }

// Client calls the Web API for one workspace, or one organisation: with its newest
// token, below its limits, again where that is safe.
type Client struct {
	Config
	open   atomic.Pointer[access] // with what the Web API is called now
	keeper Keeper                 // nil: the token never changes
	gates  *gates
	quiet  *cache.Cache[string, time.Time] // until when something is not asked for, by what

	refused atomic.Pointer[string] // why Slack takes the token no more; nil while it does
	lacking atomic.Pointer[string] // scopes of the manifest that the token was not given; nil if none

	mu    sync.Mutex
	ident *Identity
	fatal error // set when the workspace took the app away
}

// New calls the Web API with token, and with those that k has after it.
func New(c Config, token string, k Keeper) *Client {
	w := &Client{Config: c, keeper: k, gates: newGates(c), quiet: cache.New[string, time.Time](1024)}
	w.gates.freshen, w.gates.heal, w.gates.heard = w.Freshen, w.heal, w.heard
	w.gates.place = func() string {
		if id := w.Whoami(); id != nil {
			return id.Team
		}
		return ""
	}
	w.Use(token)
	return w
}

// Do runs call when the workspace's limits let it through, and again as often as
// Slack answers that it was too fast.
func (w *Client) Do(ctx context.Context, j Job, call func(context.Context) error) error {
	return w.gates.do(ctx, j, call)
}

// Backlog is about how long a new call of a method would wait for its turn.
func (w *Client) Backlog(method, channel string) time.Duration {
	return w.gates.backlog(method, channel)
}

// Strict reports whether Slack limited a method a short while ago.
func (w *Client) Strict(method string) bool { return w.gates.budget.isStrict(method) }

// Lacks lists the scopes of the manifest that the token was not given, "" if none.
func (w *Client) Lacks() string {
	if list := w.lacking.Load(); list != nil {
		return *list
	}
	return ""
}

// Sleep waits for d or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
