package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"maru/adapters/slack/gateway"
	"maru/adapters/slack/payload"
	"maru/adapters/slack/workspace"
	"maru/bot"
)

// Platform is the name of the platform in thread keys.
const Platform = payload.Platform

// Adapter connects one Slack workspace, or one Enterprise Grid organisation.
type Adapter struct {
	services
	door *gateway.Door
	site *site
}

var (
	_ bot.Adapter = (*Adapter)(nil)
	_ bot.Mounter = (*Adapter)(nil)
	_ bot.Prober  = (*Adapter)(nil)
)

// New validates c and builds the adapter. It connects to nothing before Run.
func New(c Config) (*Adapter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	d := gateway.New(c.gateway())
	s := newSite(c, d, c.BotToken, nil)
	d.Open(s.Take, func(ctx context.Context) error {
		_, err := s.web.AskWho(ctx)
		return err
	})
	own := func(string) (*site, bool) { return s, true }
	return &Adapter{services: newServices(c, workspace.Only(s), own), door: d, site: s}, nil
}

// Mount implements bot.Mounter.
func (a *Adapter) Mount(mux *http.ServeMux, in bot.Intake) { a.door.Mount(mux, in) }

// Run identifies the bot, then receives events until ctx ends. It returns an error when Slack
// refuses the tokens, and nil after an orderly stop.
func (a *Adapter) Run(ctx context.Context, in bot.Intake) error {
	defer a.door.Finish()
	a.door.ServeFor(in)
	if err := a.site.web.Identify(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	a.door.Go(func() { a.site.org.Census(ctx, in) })
	return a.door.Receive(ctx, in)
}

// Ready returns nil when events can arrive and replies can be sent.
func (a *Adapter) Ready(ctx context.Context) error {
	switch fatal := a.site.web.Ended(); {
	case fatal != nil:
		return fatal
	case a.door.SocketMode() && !a.door.Online():
		return errors.New("slack: Socket Mode is not connected")
	case a.site.web.Whoami() != nil:
		return a.site.web.Refusal()
	}
	if _, err := a.site.web.AskWho(ctx); err != nil {
		return fmt.Errorf("slack: auth.test: %w", err)
	}
	return nil
}
