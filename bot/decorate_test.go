package bot_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// typing is the platform with a status line.
type typing struct {
	*platform
	mu   sync.Mutex
	told []string
}

func (p *typing) Typing(_ context.Context, _ bot.Target, status string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, status)
	return nil
}

func (p *typing) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.told)
}

// A platform drops a status that is not renewed: a run that is silent for minutes
// is shown to be at work all the time, and not any longer.
func TestStatusIsRenewed(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ahead := time.Duration(0)
	gate := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		<-gate
		return echo(ctx, req, sink)
	})
	w.stop()
	p := &typing{platform: w.platform}
	w.change = func(c *service.Config) {
		c.Adapters = []bot.Adapter{p}
		c.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(ahead)
		}
	}
	w.start()
	m := w.say("a long one", w.platform.Thread("C1", ""))
	for n := 1; n < 3; n++ {
		w.until("it is told once more", func() bool { return len(p.all()) >= n })
		mu.Lock()
		ahead += 110 * time.Second
		mu.Unlock()
	}
	close(gate)
	w.replies(m.Thread, 1)
	w.until("it is cleared", func() bool { told := p.all(); return told[len(told)-1] == "" })
	if told := p.all(); told[0] == "" || told[1] != told[0] {
		t.Errorf("told %q", told)
	}
}
