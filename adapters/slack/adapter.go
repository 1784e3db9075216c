package slack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/slack/cache"
	"maru/adapters/slack/gateway"
	"maru/adapters/slack/install"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/people"
	"maru/adapters/slack/web"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

// Platform is the name of the platform in thread keys.
const Platform = payload.Platform

// Adapter connects one Slack workspace, or one Enterprise Grid organisation.
type Adapter struct {
	services
	cfg     Config
	log     *slog.Logger
	door    *gateway.Door
	org     *install.Organisation
	web     *web.Client
	users   *people.Users
	sent    *sentCache
	replies *replyCache              // places of recent interactions, by trigger
	threads *lru.Cache[string, bool] // those known to have a reply
	streams *streams
	members *people.Members
	files   *files

	untitled *lru.Cache[string, bool]      // conversations of the app's own place: whether they want a title
	prompted *lru.Cache[string, time.Time] // where prompts were set
	sessions *lru.Cache[string, string]    // states of agent sessions

	appends  *web.Shares // of drafts that grow a stream
	edits    *web.Shares // of drafts that edit a message
	promises *web.Promises

	named atomic.Bool // streams in direct messages must name their recipient
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
	c = c.withDefaults()
	d := gateway.New(c.gateway())
	a := newAdapter(c, d, c.BotToken, nil)
	a.services = newServices(workspace.Only(a))
	d.Open(a.Take, func(ctx context.Context) error {
		_, err := a.web.AskWho(ctx)
		return err
	})
	return a, nil
}

// newAdapter builds the part that serves one workspace behind d.
func newAdapter(c Config, d *gateway.Door, token string, k web.Keeper) *Adapter {
	w := web.New(c.web(d), token, k)
	users := people.NewUsers(w, d.Spawn)
	a := &Adapter{
		cfg: c, log: c.Logger, door: d, web: w, org: install.NewOrganisation(w, c.Installations),
		sent:    newSentCache(),
		replies: newReplyCache(c.Now),
		threads: cache.New[string, bool](8192),
		streams: newStreams(c.Now),
		users:   users, members: people.NewMembers(w, users),
		files: newFiles(w, d.Notes),

		untitled: cache.New[string, bool](1024),
		prompted: cache.New[string, time.Time](1024),
		sessions: cache.New[string, string](4096),

		appends:  web.NewShares(w.Config, web.MethodAppend),
		edits:    web.NewShares(w.Config, web.MethodUpdate),
		promises: web.NewPromises(c.Now),
	}
	return a
}

// Client calls the Web API of the workspace.
func (a *Adapter) Client() *web.Client { return a.web }

// Mount implements bot.Mounter.
func (a *Adapter) Mount(mux *http.ServeMux, in bot.Intake) { a.door.Mount(mux, in) }

// Run asks who the bot is, then receives events until ctx ends. It returns an
// error when the tokens are refused, and nil after an orderly stop.
func (a *Adapter) Run(ctx context.Context, in bot.Intake) error {
	defer a.door.Finish()
	a.door.ServeFor(in)
	if err := a.web.Identify(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	a.door.Go(func() { a.org.Census(ctx, in) })
	return a.door.Receive(ctx, in)
}

// Ready returns nil when events can arrive and replies can be sent.
func (a *Adapter) Ready(ctx context.Context) error {
	switch fatal := a.web.Ended(); {
	case fatal != nil:
		return fatal
	case a.door.SocketMode() && !a.door.Online():
		return errors.New("slack: Socket Mode is not connected")
	case a.web.Whoami() != nil:
		return a.web.Refusal()
	}
	if _, err := a.web.AskWho(ctx); err != nil {
		return fmt.Errorf("slack: auth.test: %w", err)
	}
	return nil
}
