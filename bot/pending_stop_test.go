package bot_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/datatest"
)

// pendingStops are the ways to stop a message that waits for a worker, and what its reply says then.
var pendingStops = map[string]struct{ policy, last, said string }{
	"interrupt": {"interrupt", "three", "so I stopped here"},
	"rollback":  {"rollback", "three", "so I dropped it"},
	"stop":      {"queue", "stop", "Stopped, as you asked"},
}

// answered collects the texts of final replies and the questions that reached an agent.
func answered(posts []bottest.Post, asked []agent.Request) (replies, questions []string) {
	for _, p := range posts {
		if p.Card.Final {
			replies = append(replies, p.Card.Text+p.Card.Footer)
		}
	}
	for _, r := range asked {
		questions = append(questions, r.Text)
	}
	return replies, questions
}

// TestAStopTakesBackAPendingYes: a yes that waits for a worker decides nothing once its thread was stopped.
func TestAStopTakesBackAPendingYes(t *testing.T) {
	t.Parallel()
	atWork, end := make(chan struct{}, 8), make(chan struct{})
	w := newWorld(t, patient(atWork, end))
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	if _, err := w.platform.Say(w.ctx, "U2", "work", m.Thread); err != nil {
		t.Fatal(err)
	}
	<-atWork
	w.say("yes", m.Thread)
	w.say("stop", m.Thread)
	close(end)
	w.settled()
	rows, err := w.store.RunApprovals(w.ctx, m.Thread.Key(), card.Run, 10)
	if err != nil || len(rows) != 1 || rows[0].State == bot.ApprovalDecided {
		t.Errorf("approvals %+v, %v", rows, err)
	}
	for _, r := range w.agent.asked() {
		if len(r.Decisions) > 0 {
			t.Errorf("the run went on with %+v", r.Decisions)
		}
	}
}

// TestStoppedWhilePendingSurvivesKills kills the process at every commit and every call of the platform from the message
// that stops to the last reply, before it or just after.
func TestStoppedWhilePendingSurvivesKills(t *testing.T) {
	t.Parallel()
	for name, c := range pendingStops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stride := 1
			if datatest.Short(t) {
				stride = 3
			}
			places := 0
			for _, after := range []bool{false, true} {
				for n := 1; stoppedAndKilledAt(t, c.policy, c.last, c.said, n, after) && !t.Failed(); n += stride {
					places++
				}
			}
			if places < 4 {
				t.Errorf("the process could be killed in %d places only", places)
			}
			t.Logf("%d places", places)
		})
	}
}

// stoppedAndKilledAt stops two messages, one of them begun, in a process that dies at step n. It reports whether there is a
// step n.
func stoppedAndKilledAt(t *testing.T, policy, last, said string, n int, after bool) bool {
	t.Helper()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if req.Text == last {
			return echo(ctx, req, sink)
		}
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	m := w.say("one", w.platform.Thread("C1", ""))
	w.until("it has begun", func() bool { return len(w.agent.asked()) == 1 })
	two := w.say("two", m.Thread)
	w.set("while_busy", policy)
	w.stop()
	life := newMortal(n, after)
	w.change = func(c *service.Config) {
		c.Record, c.Adapters = &mortalRecord{c.Record, life}, []bot.Adapter{&mortalPlatform{w.platform, life, 0}}
	}
	w.start()
	again := func() { // the next process
		w.stop()
		w.change = nil
		w.start()
	}
	stopping := w.platform.Message("U1", last, m.Thread)
	stopping.Reach = bot.ReachFollow
	if err := w.bot.Message(w.ctx, stopping); err != nil || life.died() { // a dead process acknowledges nothing
		again()
		w.deliver(stopping)
	}
	w.until("it dies or is done", func() bool {
		left, _, err := w.store.Pending(w.ctx, "")
		return life.died() || err == nil && left == 0
	})
	if life.died() && w.change != nil {
		again()
	}
	w.settled()
	replies, questions := answered(w.platform.Posts(m.Thread), w.agent.asked())
	told := slices.DeleteFunc(slices.Clone(replies), func(text string) bool { return !strings.Contains(text, said) })
	if slices.Contains(questions, "two") || len(told) != 2 || last == "three" && !slices.Contains(replies, "echo: three") {
		t.Errorf("step %d, after %v: asked %q, replies %q", n, after, questions, replies)
	}
	for _, dropped := range []bot.Message{m, two} {
		if unsaid, err := w.store.Note(w.ctx, bot.NoteUnsaid+dropped.Key()); err != nil || (unsaid != "") != (policy == "rollback") {
			t.Errorf("step %d, after %v: %q is hidden from agents: %q, %v", n, after, dropped.Text, unsaid, err)
		}
	}
	w.stop()
	return life.died()
}
