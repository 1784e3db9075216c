package bot_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/service"
)

// gated is a record that holds a call back while armed.
type gated struct {
	bot.Record
	armed atomic.Bool
	dead  atomic.Bool // no outcome is committed any more
	held  chan struct{}
	let   chan struct{}
	at    gate
}

// gate is where a gated record holds a call back.
type gate int

const (
	atFinish gate = iota // before the commit of an outcome
	atBegin              // after an item was put and handed out
	atAsk                // before the commit of a question
)

func (g *gated) wait(ctx context.Context, at gate) {
	if g.at != at || !g.armed.CompareAndSwap(true, false) {
		return
	}
	g.held <- struct{}{}
	select {
	case <-g.let:
	case <-ctx.Done():
	}
}

func (g *gated) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	g.wait(ctx, atFinish)
	if g.dead.Load() {
		return errDead
	}
	return g.Record.Finish(ctx, l, item, out)
}

func (g *gated) Begin(ctx context.Context, it bot.Item, owner string, ttl time.Duration) (fresh bool, l bot.Lease, first bot.Item, err error) {
	fresh, l, first, err = g.Record.Begin(ctx, it, owner, ttl)
	if l.Token != 0 {
		g.wait(ctx, atBegin)
	}
	return fresh, l, first, err
}

func (g *gated) CreateApproval(ctx context.Context, l bot.Lease, a bot.Approval) error {
	g.wait(ctx, atAsk)
	return g.Record.CreateApproval(ctx, l, a)
}

// gatedWorld returns a bot on a gated record.
func gatedWorld(t *testing.T, at gate, policy string, run func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) (*world, *gated) {
	t.Helper()
	w := newWorld(t, run)
	w.set("while_busy", policy)
	w.stop()
	g := &gated{held: make(chan struct{}, 1), let: make(chan struct{}), at: at}
	w.change = func(c *service.Config) { g.Record, c.Record = c.Record, g }
	w.start()
	g.armed.Store(true)
	return w, g
}

// TestStopsSpareWaitingReminders: a reminder that waits for a worker is posted, whatever ends the conversation around it.
func TestStopsSpareWaitingReminders(t *testing.T) {
	t.Parallel()
	for name, c := range pendingStops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, let := make(chan string, 20), make(chan struct{})
			w := newWorld(t, holding(begun, let))
			w.set("while_busy", c.policy)
			m := w.say("one", w.platform.Thread("C1", ""))
			<-begun
			if _, err := w.store.PutSchedule(w.ctx, calendar.Row{
				ID: "s1", State: calendar.Active, Due: time.Now(), Thread: m.Thread, Owner: bot.User{ID: "U1"}, Kind: calendar.Remind,
				Text: "pay the rent", Zone: "UTC", Lang: "en", Created: time.Now(),
			}, calendar.Limits{}); err != nil {
				t.Fatal(err)
			}
			w.until("the reminder waits", func() bool { n, _, err := w.store.Pending(w.ctx, ""); return err == nil && n == 2 })
			w.say(c.last, m.Thread)
			close(let)
			w.settled()
			if n := shows(w, m.Thread, "pay the rent"); n != 1 {
				t.Errorf("the reminder was posted %d times", n)
			}
		})
	}
}

// TestStopWhileAQuestionIsPosted: a stop or a newer message that comes while a run's question is committed concerns the
// question, and not the run that a decision continues.
func TestStopWhileAQuestionIsPosted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at           gate
		policy, says string
	}{
		"stop": {atFinish, "queue", "cancel"}, "interrupt": {atFinish, "interrupt", "what is for lunch?"}, "interrupt_before_the_commit": {atAsk, "interrupt", "what is for lunch?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, g := gatedWorld(t, c.at, c.policy, patient(nil, nil))
			m := w.say("send a mail", w.platform.Thread("C1", ""))
			<-g.held
			w.say(c.says, m.Thread)
			close(g.let)
			w.settled()
			run := bot.RunID(m.Key())
			rows, err := w.store.RunApprovals(w.ctx, m.Thread.Key(), run, 10)
			if err != nil || len(rows) != 1 {
				t.Fatalf("approvals %v, %v", rows, err)
			}
			if name == "stop" {
				if rows[0].State == bot.ApprovalPending {
					t.Error("the question did not hear of the stop")
				}
				return
			}
			card := waitingCard(w, m)
			w.act(click(m, card.Buttons[0], "U1"))
			w.settled()
			if n := shows(w, m.Thread, "sent, says"); n != 1 {
				t.Errorf("after the approval the thread holds %+v", w.platform.Posts(m.Thread))
			}
		})
	}
}

// TestAStopDoesNotConcernADeliveredAnswer: what comes while an answer is committed neither counts it as stopped nor replaces
// it, even if the process dies then.
func TestAStopDoesNotConcernADeliveredAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ policy, says, told string }{
		"stop": {"queue", "stop", "Nothing is running"}, "interrupt": {"interrupt", "two", "echo: two"}, "rollback": {"rollback", "two", "echo: two"},
	} {
		for _, dies := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w, g := gatedWorld(t, atFinish, c.policy, echo)
				m := w.say("one", w.platform.Thread("C1", ""))
				<-g.held
				w.say(c.says, m.Thread)
				if dies {
					g.dead.Store(true)
					close(g.let)
					w.stop()
					w.change = nil
					w.start()
				} else {
					close(g.let)
				}
				w.settled()
				if shows(w, m.Thread, "echo: one") != 1 || shows(w, m.Thread, c.told) != 1 {
					t.Errorf("dies: %v: the thread holds %+v", dies, w.platform.Posts(m.Thread))
				}
			})
		}
	}
}

// TestAnEditDoesNotUndoAStop: a message is stopped, then edited, before its run has begun.
func TestAnEditDoesNotUndoAStop(t *testing.T) {
	t.Parallel()
	w, g := gatedWorld(t, atBegin, "queue", echo)
	m := w.platform.Message("U1", "one", w.platform.Thread("C1", ""))
	delivered := make(chan error, 1)
	go func() { delivered <- w.bot.Message(w.ctx, m) }()
	<-g.held
	w.say("stop", m.Thread)
	if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Text: "two", User: m.User, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	close(g.let)
	if err := <-delivered; err != nil {
		t.Fatal(err)
	}
	w.settled()
	if asked := w.agent.asked(); len(asked) > 0 {
		t.Errorf("asked %+v", asked)
	}
}

// TestAStoppedStatementIsNotOffered: an overheard statement that a newer message rolled back is neither offered as a note nor
// quoted later.
func TestAStoppedStatementIsNotOffered(t *testing.T) {
	t.Parallel()
	begun, let := make(chan string, 20), make(chan struct{})
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if req.Text == "work" {
			return holding(begun, let)(ctx, req, sink)
		}
		return echo(ctx, req, sink)
	})
	w.stop()
	w.change = func(cfg *service.Config) {
		cfg.Addressed = func(context.Context, string, []agent.Turn, agent.Turn) (bool, error) { return false, nil }
	}
	w.start()
	in := w.platform.Thread("C1", "t1")
	w.set("note_offers", true)
	w.set("while_busy", "rollback")
	hear := func(who, text string, reach bot.Reach) bot.Message {
		m := w.platform.Message(who, text, in)
		m.Reach, m.User = reach, bot.User{ID: who, Name: who}
		w.deliver(m)
		return m
	}
	hear("U1", "hello", bot.ReachMention)
	w.settled()
	hear("U2", "hi there", bot.ReachMention)
	w.settled()
	hear("U1", "work", bot.ReachMention)
	<-begun
	stated := hear("U2", "from now on the stand-up is at 11", bot.ReachFollow)
	hear("U1", "something else", bot.ReachMention)
	if offers := w.offers(in); len(offers) > 0 {
		t.Errorf("offered %+v", offers)
	}
	if unsaid, err := w.store.Note(w.ctx, bot.NoteUnsaid+stated.Key()); err != nil || unsaid == "" {
		t.Errorf("it is quoted later: %q, %v", unsaid, err)
	}
}
