package reply

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"maru/bot"
	"maru/phrase"
)

// cleanTime limits the removal of activity indicators; a job removes a mark that is still there then, see
// [Presenter.Owed].
const cleanTime = 3 * time.Second

// statusLife is the assumed lifetime of a status: Slack drops it two minutes after it was set if no message
// follows.
const statusLife = 100 * time.Second

// decorate shows signs of work next to the reply and clears them. In a run's first attempt it
// waits as long as a placeholder: a quick answer then costs the platform one call instead of two.
func (p *Presenter) decorate(ctx context.Context, first bool) {
	typer, types := p.Adapter.(bot.Typer)
	reactor, reacts := p.Adapter.(bot.Reactor)
	reacts = reacts && p.React
	if !types && !reacts {
		return
	}
	if first && !waits(ctx, p.stop, p.signOfLife()) {
		return
	}
	working, release := p.untilStop(ctx)
	defer release()
	if reacts {
		p.mark(working, reactor)
	}
	status, told := "", p.all.now()
	tell := func(s string) {
		status, told = s, p.all.now()
		p.quietly(ctx, typer.Typing(working, p.To, status))
	}
	if types {
		tell(phrase.Say(p.Lang, "bot.reply.is_thinking"))
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for working.Err() == nil {
		select {
		case <-working.Done():
		case <-tick.C:
			s := cmp.Or(p.draft.statusLine(), status)
			if types && (s != status || p.all.now().Sub(told) >= statusLife) {
				tell(s)
			}
		}
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
	defer cancel()
	var cleared sync.WaitGroup
	defer cleared.Wait()
	if reacts {
		cleared.Go(func() { p.clear(clean, reactor) })
	}
	if types {
		p.quietly(ctx, typer.Typing(clean, p.To, ""))
	}
}

// waits reports whether ctx lives that long and nothing ends the wait.
func waits(ctx context.Context, end <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-end:
		return false
	case <-t.C:
		return true
	}
}

// mark puts the mark of a message that was taken on it.
func (p *Presenter) mark(ctx context.Context, r bot.Reactor) {
	before := p.signs.seen.Swap(true)
	err := r.React(ctx, p.To, p.message, bot.MarkSeen, true)
	var d *bot.DeliveryError
	if errors.As(err, &d) && d.After > 0 { // refused for now: it is not there
		p.signs.seen.Store(before)
	}
	p.quietly(ctx, err)
}

// clear removes it.
func (p *Presenter) clear(ctx context.Context, r bot.Reactor) {
	if !p.signs.seen.Load() {
		return
	}
	err := r.React(ctx, p.To, p.message, bot.MarkSeen, false)
	if err == nil || errors.Is(err, bot.ErrGone) || errors.Is(err, bot.ErrForbidden) {
		p.signs.seen.Store(false)
	}
	p.quietly(ctx, err)
}

// quietly logs a failed activity indicator.
func (p *Presenter) quietly(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		p.all.log.DebugContext(ctx, "show activity", "platform", p.Adapter.Platform(), "err", err)
	}
}
