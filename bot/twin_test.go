package bot_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// latePlatform carries out the first post that late selects only when it is landed, after whoever sent it has gone. With
// skips, drafts are skipped as on a busy platform.
type latePlatform struct {
	*fakePlatform
	late  func(to bot.Target, c bot.Card) bool
	first atomic.Bool
	skips atomic.Bool
	down  atomic.Bool // no other post that late selects is taken
	lost  bool        // its sender is told that the platform does not answer
	sent  chan struct{}
	land  func()
}

func (l *latePlatform) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	switch {
	case l.late(to, c) && l.first.CompareAndSwap(false, true):
	case l.late(to, c) && l.down.Load():
		return bot.Ref{}, errDown
	case !c.Final && c.Kind == bot.CardProgress && l.skips.Load():
		return bot.Ref{}, nil
	default:
		return l.fakePlatform.Post(ctx, to, c, key)
	}
	l.land = func() { _, _ = l.fakePlatform.Post(context.WithoutCancel(ctx), to, c, key) }
	close(l.sent)
	if l.lost {
		return bot.Ref{}, errDown
	}
	<-ctx.Done()
	return bot.Ref{}, ctx.Err()
}

// TestAPostThatTakesEffectLate lets a process end while a post is under way. The next ones find no message and post their
// own, whatever else happens to them; when the late one appears it is removed, and what the reply shows stays.
func TestAPostThatTakesEffectLate(t *testing.T) {
	t.Parallel()
	draft := func(_ bot.Target, c bot.Card) bool { return c.Kind == bot.CardProgress }
	slow := func(ctx context.Context, _ agent.Request, _ agent.Sink) (agent.Result, error) {
		<-ctx.Done()
		return agent.Result{}, context.Cause(ctx)
	}
	asks := func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
		return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: "plan", Payload: json.RawMessage(`{"question":"Go on?"}`)}}}, nil
	}
	for name, c := range map[string]struct {
		late  func(bot.Target, bot.Card) bool
		lives []thinking // what the agent does in each process
		skips bool       // no drafts but the one that is late are shown
		want  string
	}{
		"final":                      {final, []thinking{echo, echo}, true, "echo: hello"},
		"draft":                      {draft, []thinking{slow, echo}, false, "echo: hello"},
		"the_successor_dies_as_well": {draft, []thinking{slow, slow, echo}, false, "echo: hello"},
		"the_successor_may_not_draw": {draft, []thinking{slow, slow, slow, echo}, true, "echo: hello"},
		"the_successor_asks_below":   {draft, []thinking{slow, asks}, true, "Go on?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ahead, life atomic.Int64
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				return c.lives[life.Load()](ctx, req, sink)
			})
			late := &latePlatform{fakePlatform: w.platform, late: c.late, sent: make(chan struct{})}
			w.platform.SetFacts(bot.Facts{SilentEdits: true})
			w.stop()
			w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
			w.change = func(cfg *service.Config) { cfg.Adapters = []bot.Adapter{late} }
			late.skips.Store(c.skips)
			w.start()
			m := w.say("hello", w.platform.Thread("C1", ""))
			<-late.sent
			for n := range c.lives[1:] {
				w.stop()
				life.Store(int64(n + 1))
				w.start()
				w.until("it runs again", func() bool { return len(w.agent.asked()) > n+1 })
				if n+1 < len(c.lives)-1 && !c.skips {
					w.until("a draft stands", func() bool { return len(w.platform.Posts(m.Thread)) > 0 })
				}
			}
			w.settled()
			own := w.platform.Posts(m.Thread)
			late.land()
			if n := len(w.platform.Posts(m.Thread)); len(own) != 1 || n != 2 {
				t.Fatalf("%d messages and then %d, want one and two for a moment", len(own), n)
			}
			w.until("the second copy is removed", func() bool {
				ahead.Add(int64(time.Minute)) // a busy thread is looked at a minute later
				return len(w.platform.Posts(m.Thread)) == 1
			})
			if got := w.platform.Posts(m.Thread)[0]; got.ID != own[0].ID || got.Card.Text != c.want {
				t.Errorf("what stays is %+v, want %s", got, own[0].ID)
			}
		})
	}
}

// TestANoticeThatTakesEffectLate is TestAPostThatTakesEffectLate for an answer without a run, whose sender lives on: the
// platform's answer was lost.
func TestANoticeThatTakesEffectLate(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := newWorld(t, asking)
	late := &latePlatform{fakePlatform: w.platform, lost: true, sent: make(chan struct{}), late: func(_ bot.Target, c bot.Card) bool { return c.Kind == bot.CardNotice }}
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.change = func(cfg *service.Config) { cfg.Adapters = []bot.Adapter{late} }
	w.start()
	m := w.say("mail it", w.platform.Thread("C1", ""))
	w.until("it asks", func() bool { return len(w.platform.Posts(m.Thread)) == 1 })
	w.settled()
	if _, err := w.platform.Say(w.ctx, "U2", "yes", m.Thread); err != nil {
		t.Fatal(err)
	}
	<-late.sent
	w.settled()
	late.land()
	if n := len(w.platform.Posts(m.Thread)); n != 3 {
		t.Fatalf("%d messages, want the question and two notices for a moment", n)
	}
	w.until("the second copy is removed", func() bool {
		ahead.Add(int64(time.Minute))
		return len(w.platform.Posts(m.Thread)) == 2
	})
}

// TestAQuestionShownAgain: the platform took no question for so long that the bot gave up, and asked again later. The first
// request takes effect after all.
func TestAQuestionShownAgain(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := newWorld(t, asking)
	late := &latePlatform{fakePlatform: w.platform, lost: true, sent: make(chan struct{}), late: func(_ bot.Target, c bot.Card) bool { return len(c.Buttons) > 0 }}
	late.down.Store(true)
	w.platform.SetFacts(bot.Facts{SilentEdits: true})
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.change = func(c *service.Config) { c.Adapters, c.Patience = []bot.Adapter{late}, 100*time.Millisecond }
	w.start()
	m := w.say("mail it", w.platform.Thread("C1", ""))
	w.settled()
	late.down.Store(false)
	questions := func() (n int) {
		for _, q := range w.platform.Posts(m.Thread) {
			if len(q.Card.Buttons) > 0 {
				n++
			}
		}
		return n
	}
	w.until("it asks again", func() bool { ahead.Add(int64(10 * time.Second)); return questions() > 0 })
	w.settled()
	late.land()
	if n := questions(); n != 2 {
		t.Fatalf("%d questions, want two for a moment", n)
	}
	w.until("the second copy is removed", func() bool { ahead.Add(int64(time.Minute)); return questions() == 1 })
}

// lateEditor carries out the first draft that edits a message only when it is landed, after whoever sent it has gone.
type lateEditor struct {
	*fakePlatform
	first atomic.Bool
	sent  chan struct{}
	land  func()
}

func (l *lateEditor) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	if c.Kind != bot.CardProgress || !l.first.CompareAndSwap(false, true) {
		return l.fakePlatform.Edit(ctx, ref, c)
	}
	l.land = func() { _, _ = l.fakePlatform.Edit(context.WithoutCancel(ctx), ref, c) }
	close(l.sent)
	<-ctx.Done()
	return ref, ctx.Err()
}

// TestADraftThatTakesEffectLate: a decided question is left for the answer below it, and then shows a draft of the process
// that died. It is closed again.
func TestADraftThatTakesEffectLate(t *testing.T) {
	t.Parallel()
	var ahead, life atomic.Int64
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		switch {
		case len(req.Decisions) == 0:
			return asking(ctx, req, sink)
		case life.Load() == 0:
			sink(agent.Event{Kind: agent.EventToken, Text: "done"})
			<-ctx.Done()
			return agent.Result{}, context.Cause(ctx)
		}
		return agent.Result{Text: "done"}, nil
	})
	late := &lateEditor{fakePlatform: w.platform, sent: make(chan struct{})}
	w.platform.SetFacts(bot.Facts{SilentEdits: true})
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.change = func(cfg *service.Config) { cfg.Adapters = []bot.Adapter{late} }
	w.start()
	m := w.say("mail it", w.platform.Thread("C1", ""))
	q, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return len(p.Card.Buttons) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	w.settled()
	w.act(click(m, q.Card.Buttons[0], "U1"))
	<-late.sent
	w.stop()
	life.Store(1)
	w.start()
	w.settled()
	w.until("the question is closed", func() bool { return shownIn(w, m.Thread) == "decided 1, answer" })
	late.land()
	if shownIn(w, m.Thread) == "decided 1, answer" {
		t.Fatal("the late draft is not shown for a moment")
	}
	w.until("the question is closed again", func() bool {
		ahead.Add(int64(time.Minute))
		return shownIn(w, m.Thread) == "decided 1, answer"
	})
}
