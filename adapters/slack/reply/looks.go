package reply

import (
	"context"

	"maru/adapters/slack/workspace"
	"maru/bot"
)

// Looks show that the bot is working, in every served workspace: they implement bot.Typer and
// bot.Reactor.
type Looks struct{ in workspace.In[*Signs] }

var (
	_ bot.Typer   = Looks{}
	_ bot.Reactor = Looks{}
)

// NewLooks returns Looks over the signs that in resolves.
func NewLooks(in workspace.In[*Signs]) Looks { return Looks{in: in} }

// Typing implements bot.Typer.
func (l Looks) Typing(ctx context.Context, to bot.Target, status string) error {
	g, err := l.in(ctx, "typing", to.Thread.Team)
	if err != nil {
		return err
	}
	return g.status(ctx, to, status)
}

// React implements bot.Reactor.
func (l Looks) React(ctx context.Context, to bot.Target, message string, mark bot.Mark, on bool) error {
	g, err := l.in(ctx, "react", to.Thread.Team)
	if err != nil {
		return err
	}
	return g.mark(ctx, to, message, mark, on)
}
