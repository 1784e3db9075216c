package bot_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// team is a roster of one agent, whose file may be broken.
type team struct {
	agent.Agent
	broken atomic.Bool
}

func (s *team) Lookup(name string) (agent.Agent, bool) {
	return s, !s.broken.Load() && name == s.Name()
}

func (s *team) Names() []string {
	if s.broken.Load() {
		return nil
	}
	return []string{s.Name()}
}

// lone is an agent of a team.
type lone struct {
	run func(context.Context, agent.Request, agent.Sink) (agent.Result, error)
}

func (lone) Name() string { return "mine" }

func (l lone) Run(ctx context.Context, r agent.Request, s agent.Sink) (agent.Result, error) {
	return l.run(ctx, r, s)
}

// TestARunWaitsForItsWorkflowToBeMended: a program that starts again while the
// workflow of a broken-off run cannot be read says so and goes on once it can; if
// that takes too long it says what happened. Who asks meanwhile is told at once.
func TestARunWaitsForItsWorkflowToBeMended(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wait   time.Duration
		mended bool
		want   string
	}{
		"mended":       {time.Hour, true, "finished the same run"},
		"stays_broken": {time.Millisecond, false, "stopped halfway"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := make(chan string, 4)
			var tries atomic.Int32
			mine := &team{Agent: lone{func(ctx context.Context, r agent.Request, _ agent.Sink) (agent.Result, error) {
				began <- r.Run
				if tries.Add(1) == 1 {
					<-ctx.Done()
					return agent.Result{}, errors.New("the program ended here")
				}
				return agent.Result{Text: "finished the same run"}, nil
			}}}
			w := newWorld(t, echo)
			w.stop()
			w.change = func(cfg *service.Config) {
				cfg.Runner = agent.NewRunner(slog.New(slog.DiscardHandler), 0, time.Now, w.agent)
				cfg.Runner.Extend(mine)
				cfg.AgentWait = c.wait
			}
			w.start()
			here := w.platform.Thread("C1", "")
			w.order(bot.Invocation{Name: "settings", Args: "set channel agent mine", Thread: here, User: admin})
			m := w.say("do it", w.platform.Thread("C1", "root"))
			first := <-began
			w.stop()
			mine.broken.Store(true)
			w.start()
			if c.mended {
				if _, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool {
					return strings.Contains(p.Card.Status+p.Card.Text, "not available right now")
				}); err != nil {
					t.Fatal(err)
				}
				other := w.say("and this", w.platform.Thread("C1", "other"))
				if got := w.replies(other.Thread, 1)[0].Card.Text; !strings.Contains(got, "isn't installed") {
					t.Errorf("who asks meanwhile is told %q", got)
				}
				mine.broken.Store(false)
				if again := <-began; again != first {
					t.Errorf("run %s went on as %s", first, again)
				}
			}
			if got := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(got, c.want) {
				t.Errorf("the reply ends with %q, want %q", got, c.want)
			}
		})
	}
}
