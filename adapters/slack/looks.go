package slack

import (
	"context"

	"maru/adapters/slack/workspace"
	"maru/bot"
)

// looks show that the bot is at work in every workspace that is served: they implement
// bot.Typer and bot.Reactor.
type looks struct{ in workspace.In[*signs] }

var (
	_ bot.Typer   = looks{}
	_ bot.Reactor = looks{}
)

// newLooks shows the signs that in finds.
func newLooks(in workspace.In[*signs]) looks { return looks{in: in} }

// Typing implements bot.Typer.
func (l looks) Typing(ctx context.Context, to bot.Target, status string) error {
	g, err := l.in(ctx, "typing", to.Thread.Team)
	if err != nil {
		return err
	}
	return g.status(ctx, to, status)
}

// React implements bot.Reactor.
func (l looks) React(ctx context.Context, to bot.Target, message string, mark bot.Mark, on bool) error {
	g, err := l.in(ctx, "react", to.Thread.Team)
	if err != nil {
		return err
	}
	return g.mark(ctx, to, message, mark, on)
}
