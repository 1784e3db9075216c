package bot_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/logtest"
)

type lockedPlatform = bottest.Platform

// locked is a platform that refuses the bot's token some times.
type locked struct {
	*lockedPlatform

	refuses atomic.Int32
	serves  atomic.Bool
}

var errLocked = errors.New("locked: the token is refused")

func (l *locked) Run(ctx context.Context, in bot.Intake) error {
	if l.refuses.Add(-1) >= 0 {
		return errLocked
	}
	l.serves.Store(true)
	return l.lockedPlatform.Run(ctx, in)
}

func (l *locked) Ready(context.Context) error {
	if !l.serves.Load() {
		return errors.New("locked: not connected")
	}
	return nil
}

// TestARefusedPlatformLeavesTheOthersServing: one platform refuses the bot's token. The other one is served, the log and
// the readiness say which and why, and the refused one is served as soon as it lets the bot in.
func TestARefusedPlatformLeavesTheOthersServing(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	other := &locked{lockedPlatform: bottest.New("locked")}
	other.refuses.Store(1 << 20)
	w := newWorld(t, echo)
	w.stop()
	w.change = func(c *service.Config) {
		c.Log, c.Refused = log.Logger(), time.Millisecond
		c.Adapters = append(c.Adapters, other)
	}
	w.start()
	at := w.platform.Thread("C1", "th1")
	w.say("hello", at)
	if got := w.replies(at, 1); !strings.Contains(got[0].Card.Text, "echo: hello") {
		t.Errorf("the other platform answers %+v", got)
	}
	w.until("the refusal is told", func() bool {
		return strings.Contains(log.String(), "platform=locked") && strings.Contains(log.String(), errLocked.Error())
	})
	state := w.bot.Ready(w.ctx)["locked"]
	if !errors.Is(state, bot.ErrLimited) || !errors.Is(state, errLocked) {
		t.Errorf("ready says %v", state)
	}
	other.refuses.Store(0)
	w.until("it is served again", func() bool { return w.bot.Ready(w.ctx)["locked"] == nil })
}

// TestAnswersAreLogged: an operator finds each answer in the log, with what it cost and how it ended, and nothing of
// what was said.
func TestAnswersAreLogged(t *testing.T) {
	t.Parallel()
	var log logtest.Log
	w := newWorld(t, func(_ context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventCustom, Name: "router", Text: "rag"})
		sink(agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Model: "m1", Calls: 1, Input: 11, Output: 7}})
		sink(agent.Event{Kind: agent.EventToolResult, Name: "calculator", Text: "secretresult"})
		if strings.Contains(req.Text, "fail") {
			return agent.Result{}, errors.New("broken")
		}
		return agent.Result{Text: "secretanswer"}, nil
	})
	w.stop()
	w.change = func(c *service.Config) { c.Log = log.Logger() }
	w.start()
	at := w.platform.Thread("C1", "th1")
	w.say("secretquestion", at)
	w.replies(at, 1)
	w.say("fail", at)
	w.replies(at, 2)
	lines := func() []string {
		var out []string
		for line := range strings.SplitSeq(log.String(), "\n") {
			if strings.Contains(line, "msg=answered") {
				out = append(out, line)
			}
		}
		return out
	}
	w.until("two lines", func() bool { return len(lines()) == 2 })
	for i, want := range []string{"outcome=done", "outcome=failed"} {
		for _, part := range []string{want, "agent=chat", "route=rag", "model=m1", "calls=1", "tools=1", "input_tokens=11", "output_tokens=7", "level=INFO", "run=", "thread=fake/T1/C1/th1", "took_ms="} {
			if !strings.Contains(lines()[i], part) {
				t.Errorf("%q is not in %s", part, lines()[i])
			}
		}
	}
	if strings.Contains(log.String(), "secret") {
		t.Errorf("the log has content: %s", log.String())
	}
}
