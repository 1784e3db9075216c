package bot_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/calendar"
	"maru/bot/service"
	"maru/memory/sqlitestore"
	"maru/phrase/when"
)

// dueNow returns a schedule of a thread that is due.
func dueNow(id string, in bot.Thread) calendar.Row {
	return calendar.Row{
		ID: id, State: calendar.Active, Due: time.Now().Add(-time.Second), Thread: in, Owner: bot.User{ID: "U1", Name: "U1"}, Kind: calendar.Ask,
		Text: "post the menu " + id, Rule: when.Rule{Cron: "0 9 * * 1"}, Zone: "UTC", Lang: "en", Created: time.Now(),
	}
}

// TestReplicasFireEachScheduleOnce makes many schedules due for two bots on one PostgreSQL.
func TestReplicasFireEachScheduleOnce(t *testing.T) {
	t.Parallel()
	ran := make(chan string, 100)
	ctx, p, one, _ := replicas(t, func(_ context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
		ran <- req.Text
		return agent.Result{Text: "did " + req.Text}, nil
	})
	const n = 20
	for i := range n {
		if _, err := one.store.PutSchedule(ctx, dueNow(fmt.Sprintf("s%d", i), p.Thread("C1", fmt.Sprintf("t%d", i))), calendar.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		posts, err := p.Await(ctx, p.Thread("C1", fmt.Sprintf("t%d", i)), 1)
		if err != nil || len(posts) != 1 {
			t.Fatalf("schedule %d: %d posts, %v", i, len(posts), err)
		}
	}
	if left, err := one.store.DueSchedules(ctx, time.Now(), 0); err != nil || len(left) > 0 {
		t.Errorf("%d are still due, %v", len(left), err)
	}
	if len(ran) != n {
		t.Errorf("%d runs of %d schedules", len(ran), n)
	}
}

// dyingPlanner dies at the commit of a due schedule.
type dyingPlanner struct {
	*sqlitestore.Store
	m *mortal
}

func (d *dyingPlanner) FireSchedule(ctx context.Context, r calendar.Row, it bot.Item) (won bool, err error) {
	err = d.m.step(func() (e error) { won, e = d.Store.FireSchedule(ctx, r, it); return e })
	return won, err
}

// TestKilledAtTheDueMoment kills the process before and after the commit of a due schedule.
func TestKilledAtTheDueMoment(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]bool{"before_the_commit": false, "after_the_commit": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, echo)
			in := w.platform.Thread("C1", "t1")
			w.stop()
			m := newMortal(1, after)
			w.change = func(c *service.Config) { c.Record = &dyingPlanner{w.store, m} }
			w.start()
			if _, err := w.store.PutSchedule(w.ctx, dueNow("s1", in), calendar.Limits{}); err != nil {
				t.Fatal(err)
			}
			waitUntil(t, "death", m.died)
			w.stop()
			w.change = nil
			w.start()
			shown(t, w, "echo: post the menu s1")
			w.say("hello", in)
			shown(t, w, "echo: hello")
			if n := count(w, "echo: post the menu s1"); n != 1 {
				t.Errorf("%d answers", n)
			}
		})
	}
}

// guarded is a platform that knows who reads a channel.
type guarded struct {
	*platform
	gone bool
	err  error
}

func (g *guarded) Member(context.Context, bot.Thread, string, string) (bool, error) {
	return !g.gone, g.err
}

// TestOwnerWhoIsGone pauses the schedule of a person who no longer reads the channel, and says so there.
func TestOwnerWhoIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	in := w.platform.Thread("C1", "t1")
	w.stop()
	g := &guarded{platform: w.platform, gone: true}
	w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{g} }
	w.start()
	if _, err := w.store.PutSchedule(w.ctx, dueNow("s1", in), calendar.Limits{}); err != nil {
		t.Fatal(err)
	}
	shown(t, w, "can no longer read this channel")
	r, err := w.store.ScheduleByID(w.ctx, "s1")
	if err != nil || r.State != calendar.Paused || r.Why == "" || len(w.agent.asked()) != 0 {
		t.Errorf("%+v, %v, asked %v", r, err, w.agent.asked())
	}
	w.stop()
	g.gone, g.err = false, errors.New("the platform does not answer")
	w.start()
	again := dueNow("s2", in)
	if _, err := w.store.PutSchedule(w.ctx, again, calendar.Limits{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // several polls
	if len(w.agent.asked()) != 0 {
		t.Error("it ran although nobody could say whether the owner may read the channel")
	}
	w.stop()
	g.err = nil
	w.start()
	shown(t, w, "echo: post the menu s2")
}
