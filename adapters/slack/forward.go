package slack

import (
	"context"
	"time"

	"maru/adapters/slack/payload"
	"maru/bot"
)

// What the bot asks of the platform is asked of the workspace that it is for.
var (
	_ bot.Adapter   = (*App)(nil)
	_ bot.Editor    = (*App)(nil)
	_ bot.Remover   = (*App)(nil)
	_ bot.Finder    = (*App)(nil)
	_ bot.Dater     = (*App)(nil)
	_ bot.Typer     = (*App)(nil)
	_ bot.Reactor   = (*App)(nil)
	_ bot.Whisperer = (*App)(nil)
	_ bot.Forms     = (*App)(nil)
	_ bot.Fetcher   = (*App)(nil)
	_ bot.Uploader  = (*App)(nil)
	_ bot.Members   = (*App)(nil)
	_ bot.Historian = (*App)(nil)
	_ bot.Linker    = (*App)(nil)
	_ bot.Mounter   = (*App)(nil)
	_ bot.Prober    = (*App)(nil)
	_ bot.Direct    = (*App)(nil)
)

// Post implements bot.Adapter.
func (p *App) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	a, err := site(p.reg.In(ctx, "post", to.Thread.Team))
	if err != nil {
		return bot.Ref{}, err
	}
	return a.Post(ctx, to, c, key)
}

// Edit implements bot.Editor.
func (p *App) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	a, err := site(p.reg.In(ctx, "edit", ref.Thread.Team))
	if err != nil {
		return ref, err
	}
	return a.Edit(ctx, ref, c)
}

// EditEvery implements bot.Editor: the pace of the least busy workspace. A busier
// one leaves drafts out by itself.
func (p *App) EditEvery() time.Duration { return p.editEvery }

// Remove implements bot.Remover.
func (p *App) Remove(ctx context.Context, ref bot.Ref) error {
	a, err := site(p.reg.In(ctx, "remove", ref.Thread.Team))
	if err != nil {
		return err
	}
	return a.Remove(ctx, ref)
}

// Find implements bot.Finder.
func (p *App) Find(ctx context.Context, to bot.Target, key string) (bot.Ref, bool, error) {
	a, err := site(p.reg.In(ctx, "find", to.Thread.Team))
	if err != nil {
		return bot.Ref{}, false, err
	}
	return a.Find(ctx, to, key)
}

// Dated implements bot.Dater.
func (p *App) Dated(message string) time.Time { return payload.Time(message) }

// Typing implements bot.Typer.
func (p *App) Typing(ctx context.Context, to bot.Target, status string) error {
	a, err := site(p.reg.In(ctx, "typing", to.Thread.Team))
	if err != nil {
		return err
	}
	return a.Typing(ctx, to, status)
}

// React implements bot.Reactor.
func (p *App) React(ctx context.Context, to bot.Target, message string, mark bot.Mark, on bool) error {
	a, err := site(p.reg.In(ctx, "react", to.Thread.Team))
	if err != nil {
		return err
	}
	return a.React(ctx, to, message, mark, on)
}

// Whisper implements bot.Whisperer.
func (p *App) Whisper(ctx context.Context, to bot.Target, u bot.User, c bot.Card) error {
	a, err := site(p.reg.In(ctx, "whisper", to.Thread.Team))
	if err != nil {
		return err
	}
	return a.Whisper(ctx, to, u, c)
}

// OpenForm implements bot.Forms: a trigger is of the workspace where it was made.
func (p *App) OpenForm(ctx context.Context, trigger string, f bot.Form) error {
	s, ok := p.router.ByTrigger(trigger)
	a, _ := s.(*Adapter)
	if !ok {
		return &bot.DeliveryError{Op: "open form", Code: "expired_trigger_id", Err: bot.ErrGone}
	}
	return a.OpenForm(ctx, trigger, f)
}

// History implements bot.Historian.
func (p *App) History(ctx context.Context, t bot.Thread, before string, limit int) ([]bot.Message, error) {
	a, err := site(p.reg.In(ctx, "history", t.Team))
	if err != nil {
		return nil, err
	}
	return a.History(ctx, t, before, limit)
}

// Links implements bot.Linker.
func (*App) Links(text string) []string { return (*Adapter)(nil).Links(text) }

// Linked implements bot.Linker: an address is opened with the token of the workspace
// in which it was pasted.
func (p *App) Linked(ctx context.Context, m bot.Message, link string) (bot.Quote, error) {
	a, err := site(p.reg.In(ctx, "open link", m.Thread.Team))
	if err != nil {
		return bot.Quote{}, err
	}
	return a.Linked(ctx, m, link)
}

// Direct implements bot.Direct.
func (p *App) Direct(ctx context.Context, t bot.Thread, u bot.User, c bot.Card) error {
	a, err := site(p.reg.In(ctx, "direct", t.Team))
	if err != nil {
		return err
	}
	return a.Direct(ctx, t, u, c)
}
