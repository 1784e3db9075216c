package bot_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/calendar"
	"maru/bot/parking"
	"maru/bot/service"
)

// explosive is a platform whose uploads kill the process until they are safe.
type explosive struct {
	*fake
	begun chan struct{}
	safe  atomic.Bool
}

func (e *explosive) Upload(ctx context.Context, p bot.Parcel) error {
	if e.safe.Load() {
		return e.fake.Upload(ctx, p)
	}
	e.begun <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// parksLate is a record whose process dies when it parks a job for the first time.
type parksLate struct {
	*killed
	parked *atomic.Int32
}

func (r parksLate) DelayJob(ctx context.Context, id string, by time.Duration, why string) error {
	if why == parking.Why && r.parked.Add(1) == 1 {
		return errDead
	}
	return r.killed.DelayJob(ctx, id, by, why)
}

// TestDeadlyFilesOfAnAnswerAreParked parks the job that puts a run's files into its thread. Whoever waits for them is
// told once, although the process dies between the notice and its end, and gets them once somebody retries it there.
func TestDeadlyFilesOfAnAnswerAreParked(t *testing.T) {
	t.Parallel()
	for name, retry := range map[string]func(w *world, post bottest.Post, in bot.Thread) (string, error){
		"button": func(w *world, post bottest.Post, in bot.Thread) (string, error) {
			b := post.Card.Buttons[0]
			ans, err := w.bot.Action(w.ctx, bot.Action{ID: b.ID, Verb: b.Verb, Thread: in, User: bot.User{ID: "U2"}})
			if err != nil {
				return "", err
			}
			return ans.Card.Text, nil
		},
		"command": func(w *world, _ bottest.Post, in bot.Thread) (string, error) {
			card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "retry", Thread: in, User: bot.User{ID: "U2"}})
			if err != nil {
				return "", err
			}
			return card.Text, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, makes(report))
			a, parked := &explosive{fake: w.platform, begun: make(chan struct{})}, &atomic.Int32{}
			kill := killable(w, func(cfg *service.Config) {
				cfg.Adapters = []bot.Adapter{a}
				cfg.Record = parksLate{cfg.Record.(*killed), parked} //nolint:errcheck // killable made it
			})
			m := w.platform.Message("U1", "make it", w.platform.Thread("C1", "root"))
			w.deliver(m)
			deaths := 0
			w.until("it is parked", func() bool {
				select {
				case <-a.begun:
					deaths++
					kill()
				default:
				}
				jobs, err := w.store.ParkedJobs(w.ctx, 0)
				return err == nil && len(jobs) == 1
			})
			if deaths != 3 {
				t.Errorf("parked after %d deaths", deaths)
			}
			if n := shows(w, m.Thread, "files of this answer aside"); n != 1 || parked.Load() != 2 {
				t.Fatalf("%d notices, parked %d times", n, parked.Load())
			}
			var post bottest.Post
			for _, p := range w.platform.Posts(m.Thread) {
				if strings.Contains(p.Card.Text, "aside") {
					post = p
				}
			}
			if said, err := retry(w, post, w.platform.Thread("C1", "other")); err != nil || strings.Contains(said, "1") {
				t.Errorf("a retry in another thread is told %q, %v", said, err)
			}
			a.safe.Store(true)
			if said, err := retry(w, post, m.Thread); err != nil || !strings.Contains(said, "1") {
				t.Errorf("the retry is told %q, %v", said, err)
			}
			if all, err := w.platform.Parcels(w.ctx, 1); err != nil || len(all) != 1 {
				t.Errorf("%d parcels, %v", len(all), err)
			}
		})
	}
}

// TestADeadlyScheduleIsParked parks the question of a schedule where it is answered, once.
func TestADeadlyScheduleIsParked(t *testing.T) {
	t.Parallel()
	a := &deadly{lives: 2, begun: make(chan struct{})}
	w := newWorld(t, a.think)
	kill := killable(w, func(c *service.Config) { c.Poll = 10 * time.Millisecond })
	w.until("the schedule is put", func() bool {
		_, err := w.store.PutSchedule(w.ctx, calendar.Row{
			ID: "s1", State: calendar.Active, Due: time.Now(), Thread: w.platform.Thread("C1", "root"), Owner: bot.User{ID: "U1"}, Kind: calendar.Ask,
			Text: "a deadly question", Zone: "UTC", Lang: "en", Created: time.Now(),
		}, calendar.Limits{})
		return err == nil
	})
	for range 2 {
		<-a.begun
		kill()
	}
	post := setAside(w, w.platform.Thread("C1", "root"))
	w.stop()
	w.start()
	if n := shows(w, post.Thread, "Nothing is lost"); n != 1 {
		t.Errorf("%d notices", n)
	}
	b := post.Card.Buttons[0]
	if _, err := w.bot.Action(w.ctx, bot.Action{ID: b.ID, Verb: b.Verb, Thread: post.Thread, User: bot.User{ID: "U2"}}); err != nil {
		t.Fatal(err)
	}
	w.until("it is answered", func() bool { return shows(w, post.Thread, "at last") == 1 })
}

// TestRedoBesideAParkedMessage: a task cannot be redone in the log of a parked message, and that is said.
func TestRedoBesideAParkedMessage(t *testing.T) {
	t.Parallel()
	a := &deadly{lives: 2, begun: make(chan struct{})}
	w := newPlanning(t)
	think := w.agent.think
	w.agent.think = func(ctx context.Context, r agent.Request, sink agent.Sink) (agent.Result, error) {
		if strings.Contains(r.Text, "deadly") {
			return a.think(ctx, r, sink)
		}
		return think(ctx, r, sink)
	}
	kill := killable(w, func(c *service.Config) {
		c.Runner = agent.NewRunner(slog.New(slog.DiscardHandler), 0, time.Now, planner{w.agent})
	})
	root := w.platform.Thread("C1", "root")
	w.deliver(w.platform.Message("U1", "write the report", root))
	w.until("the task is done", func() bool { return shows(w, root, "did write the report from 0") == 1 })
	w.settled()
	w.deliver(w.platform.Message("U1", "a deadly question", root))
	for range 2 {
		<-a.begun
		kill()
	}
	setAside(w, root)
	w.deliver(w.platform.Message("U1", "redo from step 2", root))
	w.until("it is refused", func() bool { return shows(w, root, "Something in this conversation is set aside") == 1 })
	if _, err := w.bot.Command(w.ctx, bot.Invocation{Name: "retry", Thread: root, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	w.until("it is answered", func() bool { return shows(w, root, "at last") == 1 })
	w.deliver(w.platform.Message("U1", "redo from step 2", root))
	w.until("the task is redone", func() bool { return shows(w, root, "from 2") == 1 })
}
