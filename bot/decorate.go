package bot

import (
	"context"
	"time"
)

// decorate shows that the bot is at work, beside the reply, and clears it.
func (p *presenter) decorate(ctx context.Context) {
	typer, types := p.adapter.(Typer)
	reactor, reacts := p.adapter.(Reactor)
	reacts = reacts && p.react
	if !types && !reacts {
		return
	}
	quietly := func(err error) {
		if err != nil && ctx.Err() == nil {
			p.b.log.DebugContext(ctx, "sign of life", "platform", p.adapter.Platform(), "err", err)
		}
	}
	working, release := p.untilStop(ctx)
	defer release()
	if reacts {
		quietly(reactor.React(working, p.to, p.message, MarkSeen, true))
	}
	status := ""
	if types {
		status = say(p.lang, "bot.is_thinking")
		quietly(typer.Typing(working, p.to, status))
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for working.Err() == nil {
		select {
		case <-working.Done():
		case <-tick.C:
			if s := p.draft.statusLine(); types && s != "" && s != status {
				status = s
				quietly(typer.Typing(working, p.to, status))
			}
		}
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if types {
		quietly(typer.Typing(clean, p.to, ""))
	}
	if reacts {
		quietly(reactor.React(clean, p.to, p.message, MarkSeen, false))
	}
}
