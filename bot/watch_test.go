package bot_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"maru/agent"
	"maru/bot/service"
)

// firsts counts first tokens.
type firsts struct {
	mu sync.Mutex
	n  int
}

func (f *firsts) FirstToken(string, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
}

func (*firsts) Received(string, string)                              {}
func (*firsts) Finished(string, string, time.Duration)               {}
func (*firsts) ModelCall(string, agent.Usage, time.Duration, string) {}
func (*firsts) ToolCall(string, bool, time.Duration)                 {}
func (*firsts) Checked(string, agent.Checked)                        {}
func (*firsts) Delivered(string, string, string)                     {}

// Of the tokens of nodes that run side by side one is the first; -race sees who
// does not agree on which.
func TestTokensSideBySideHaveOneFirst(t *testing.T) {
	t.Parallel()
	seen := &firsts{}
	w := newWorld(t, func(_ context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		var nodes sync.WaitGroup
		for range 8 {
			nodes.Go(func() { sink(agent.Event{Kind: agent.EventToken, Text: "x"}) })
		}
		nodes.Wait()
		return agent.Result{Text: "done"}, nil
	})
	w.stop()
	w.change = func(c *service.Config) { c.Observe = seen }
	w.start()
	m := w.say("go", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	w.stop()
	if seen.n != 1 {
		t.Errorf("%d first tokens", seen.n)
	}
}
