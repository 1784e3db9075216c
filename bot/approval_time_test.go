package bot_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// clockOf returns a clock that tests move.
func clockOf(w *world) func(time.Duration) {
	var ahead atomic.Int64
	w.stop()
	w.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	w.start()
	return func(d time.Duration) { ahead.Add(int64(d)) }
}

func TestReminderOnceThenExpiry(t *testing.T) {
	t.Parallel()
	var expired atomic.Int32
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) > 0 && req.Decisions[0].Expired && req.Decisions[0].Value == nil {
			expired.Add(1)
			return agent.Result{Text: "nobody answered, so I sent nothing"}, nil
		}
		return asking(ctx, req, sink)
	})
	forward := clockOf(w)
	w.set("approval_reminder", "24h0m0s")
	w.set("approval_expires", "48h0m0s")
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	old := click(m, card.Buttons[0], "U1")
	forward(25 * time.Hour)
	reminder := func(p bottest.Post) bool {
		return strings.Contains(p.Card.Text, "still waiting") && strings.Contains(p.Card.Text, old.ID)
	}
	if _, err := w.platform.AwaitPost(w.ctx, m.Thread, reminder); err != nil {
		t.Fatal(err)
	}
	forward(12 * time.Hour)
	w.stop() // and a sweep at start reminds of nothing twice
	w.start()
	w.settled()
	if w.state(old.ID) != bot.ApprovalPending {
		t.Error("it expired early")
	}
	forward(12 * time.Hour)
	final := awaitCard(w, m, func(c bot.Card) bool { return c.Final && strings.Contains(c.Text, "nobody answered") })
	if len(final.Buttons) != 0 || !strings.Contains(fmt.Sprint(final.Fields), "no one decided in time") {
		t.Errorf("the card after expiry: %+v", final)
	}
	if said := w.act(old); !strings.Contains(said, "no one decided in time") {
		t.Errorf("a click after expiry says %q", said)
	}
	reminders := 0
	for _, p := range w.platform.Posts(m.Thread) {
		if p.Key == "remind-"+old.ID {
			reminders++
		}
	}
	if reminders != 1 || expired.Load() != 1 {
		t.Errorf("%d reminders, told of expiry %d times", reminders, expired.Load())
	}
	t.Log("C11: silent clicks 0")
}

func TestClickAfterTheTimeBeforeTheSweep(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	forward := clockOf(w)
	w.stop()
	w.change = func(c *service.Config) { c.Sweep = time.Hour } // nobody sweeps
	w.start()
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	old := click(m, waitingCard(w, m).Buttons[0], "U1")
	forward(8 * 24 * time.Hour)
	if said := w.act(old); !strings.Contains(said, "no one decided in time") || !strings.Contains(said, "please ask again") {
		t.Errorf("the late click says %q", said)
	}
	w.replies(m.Thread, 1)
	form := old
	form.Verb, form.Values = "edit.form", map[string]string{"plan": "1. Only read"}
	if said := w.act(form); !strings.Contains(said, "1. Only read") {
		t.Errorf("the late form says %q", said)
	}
	if told.Load() != 1 || w.state(old.ID) != bot.ApprovalExpired {
		t.Errorf("told %d times, state %s", told.Load(), w.state(old.ID))
	}
}

// TestTooFewAgreedInTime: who agreed is still named when the time is up, on the card and to who
// comes too late.
func TestTooFewAgreedInTime(t *testing.T) {
	t.Parallel()
	think, _ := counted(asking)
	w := newWorld(t, think)
	forward := clockOf(w)
	w.set("two_people", true)
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	old := click(m, waitingCard(w, m).Buttons[0], "U1")
	if said := w.act(old); !strings.Contains(said, "approval is saved") {
		t.Fatalf("the first of two is told %q", said)
	}
	forward(8 * 24 * time.Hour)
	w.replies(m.Thread, 1)
	final := awaitCard(w, m, func(c bot.Card) bool { return c.Final })
	for what, said := range map[string]string{"the card": fmt.Sprint(final.Fields), "a late click": w.act(old)} {
		if !strings.Contains(said, "not enough people approved in time") || !strings.Contains(said, ": approved · ") || strings.Contains(said, "no one decided") {
			t.Errorf("%s says %q", what, said)
		}
	}
}

// deaf is a record in which no thread can be leased: decisions are committed,
// and nobody goes on with them.
type deaf struct{ bot.Record }

func (deaf) Claim(context.Context, string, string, time.Duration, ...string) (bot.Lease, bool, error) {
	return bot.Lease{}, false, nil
}

func (d deaf) Begin(ctx context.Context, it bot.Item, _ string, _ time.Duration) (fresh bool, l bot.Lease, first bot.Item, err error) {
	fresh, err = d.Put(ctx, it)
	return fresh, l, first, err
}

func (deaf) Take(context.Context, string, string, time.Duration) (bot.Lease, bot.Item, bool, error) {
	return bot.Lease{}, bot.Item{}, false, nil
}

func TestDecidedIsContinuedAfterARestart(t *testing.T) {
	t.Parallel()
	think, told := counted(asking)
	w := newWorld(t, think)
	const n = 20
	var threads []bot.Message
	var clicks []bot.Action
	for i := range n {
		m := w.say("send a mail", w.platform.Thread("C1", fmt.Sprintf("t%d", i)))
		threads, clicks = append(threads, m), append(clicks, click(m, waitingCard(w, m).Buttons[0], "U1"))
	}
	w.stop()
	w.change = func(c *service.Config) { c.Record = deaf{c.Record} } // dies between the click and the run
	w.start()
	for _, a := range clicks {
		if said := w.act(a); said != "" {
			t.Error(said)
		}
	}
	if told.Load() != 0 {
		t.Fatal("the worker was there after all")
	}
	w.stop()
	w.change = nil
	w.start()
	for _, m := range threads {
		if p := w.replies(m.Thread, 1); len(p) != 1 || !strings.HasPrefix(p[0].Card.Text, "sent") {
			t.Errorf("replies %+v", p)
		}
	}
	t.Logf("approved and not resumed 0 of %d", n)
}
