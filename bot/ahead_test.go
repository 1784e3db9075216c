package bot_test

import (
	"context"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// preparing is a platform on which an answer's place takes a moment to make.
type preparing struct {
	*reacting
	ahead chan bot.Target
}

func (p *preparing) Prepare(_ context.Context, to bot.Target) { p.ahead <- to }

// TestThePlaceOfAnAnswerIsMadeAhead: while the agent works, once.
func TestThePlaceOfAnAnswerIsMadeAhead(t *testing.T) {
	t.Parallel()
	p := &preparing{reacting: &reacting{}, ahead: make(chan bot.Target, 9)}
	var to bot.Target
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		select {
		case to = <-p.ahead:
		case <-ctx.Done():
			return agent.Result{}, ctx.Err()
		}
		return echo(ctx, req, sink)
	})
	p.platform = w.platform
	w.stop()
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{p} }
	w.start()
	m := w.say("hello", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	w.stop()
	if to.Thread != m.Thread || to.Title != m.Title() || to.User.ID != m.User.ID || len(p.ahead) != 0 {
		t.Errorf("prepared %+v and %d more", to, len(p.ahead))
	}
}
