package bot_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// reminding is a record that tells of stops however often they were heard.
type reminding struct {
	*sqlitestore.Store
	mu    sync.Mutex
	stops []bot.Stop
	asked int // how often, since the last mark
}

func (*reminding) Working(context.Context, string) (bool, error) { return false, nil }

func (*reminding) AskStop(context.Context, string, string) (bool, error) { return false, nil }

func (r *reminding) Stops(context.Context, string) ([]bot.Stop, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return r.stops, nil
}

func (*reminding) HeardStops(context.Context, []bot.Stop) error { return errTest }

func (r *reminding) mark(s ...bot.Stop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops, r.asked = s, 0
}

// told returns how often the replica was told of the marks there are.
func (r *reminding) told() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// TestAStopThatIsToldTwiceStopsOnce: a mark that could not be taken away is none for the
// run that comes after, and a newer mark is.
func TestAStopThatIsToldTwiceStopsOnce(t *testing.T) {
	t.Parallel()
	atWork, end := make(chan struct{}, 8), make(chan struct{})
	var ended atomic.Int32
	w := newWorld(t, func(ctx context.Context, _ agent.Request, _ agent.Sink) (agent.Result, error) {
		atWork <- struct{}{}
		defer ended.Add(1)
		select {
		case <-end:
			return agent.Result{Text: "done"}, nil
		case <-ctx.Done():
			return agent.Result{}, ctx.Err()
		}
	})
	w.stop()
	var r *reminding
	w.change = func(c *service.Config) {
		r = &reminding{Store: w.store}
		c.Record = r
	}
	w.start()
	in := w.platform.Thread("C1", "t")
	stop := func(id string) bot.Stop { return bot.Stop{Thread: in.Key(), Why: "stop", ID: id} }
	w.say("first", in)
	<-atWork
	r.mark(stop("1"))
	w.replies(in, 1)
	w.say("second", in)
	<-atWork
	r.mark(stop("1")) // as before: only the count begins again
	w.until("it was told again", func() bool { return r.told() >= 2 })
	if n := ended.Load(); n != 1 {
		t.Errorf("%d runs have ended", n)
	}
	r.mark(stop("2"))
	w.replies(in, 2)
	w.say("third", in)
	<-atWork
	close(end)
	posts := w.replies(in, 3)
	if posts[2].Card.Text != "done" || posts[0].Card.Text == "done" || posts[1].Card.Text == "done" {
		t.Errorf("said %q, %q and %q", posts[0].Card.Text, posts[1].Card.Text, posts[2].Card.Text)
	}
}

// patient returns an agent that asks before it sends, works until end is closed on what it is
// told to work on, and echoes the rest.
func patient(atWork, end chan struct{}) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		switch {
		case strings.HasPrefix(req.Text, "send"):
			return asking(ctx, req, sink)
		case req.Text != "work":
			return echo(ctx, req, sink)
		}
		atWork <- struct{}{}
		select {
		case <-end:
		case <-ctx.Done():
		}
		return agent.Result{Text: "done"}, ctx.Err()
	}
}

// TestAnOldButtonStopsNoNewerRun presses the button of a run that is open still, while
// the thread is at work on another one.
func TestAnOldButtonStopsNoNewerRun(t *testing.T) {
	t.Parallel()
	atWork, end := make(chan struct{}, 8), make(chan struct{})
	w := newWorld(t, patient(atWork, end))
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	card := waitingCard(w, m)
	if _, err := w.platform.Say(w.ctx, "U2", "work", m.Thread); err != nil {
		t.Fatal(err)
	}
	<-atWork
	ans, err := w.bot.Action(w.ctx, bot.Action{ID: card.Run, Verb: "run.stop", Thread: m.Thread, User: m.User})
	if err != nil || ans.Card == nil || !strings.Contains(ans.Card.Text, "already finished") {
		t.Errorf("told %+v, %v", ans.Card, err)
	}
	close(end)
	post, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return p.Card.Final && p.Card.Run != card.Run })
	if err != nil || post.Card.Text != "done" {
		t.Errorf("the newer run says %q, %v", post.Card.Text, err)
	}
}

// TestACommandsTimeIsNotThePlatforms: what adapters date themselves, by a clock that may
// go before the platform's, is stopped by a word that seems to have been said before it.
func TestACommandsTimeIsNotThePlatforms(t *testing.T) {
	t.Parallel()
	for _, reach := range []bot.Reach{bot.ReachCommand, bot.ReachMenu} {
		t.Run(string(reach), func(t *testing.T) {
			t.Parallel()
			atWork, end := make(chan struct{}, 8), make(chan struct{})
			w := newWorld(t, patient(atWork, end))
			m := w.say("hello", w.platform.Thread("C1", ""))
			w.replies(m.Thread, 1)
			ask := m
			ask.ID, ask.Text, ask.Reach, ask.At = "ask1", "work", reach, m.At.Add(time.Hour)
			w.deliver(ask)
			<-atWork
			w.say("stop", m.Thread)
			if card := w.replies(m.Thread, 2)[1].Card; !strings.Contains(card.Footer+card.Text, "Stopped") {
				t.Errorf("the run says %+v", card)
			}
		})
	}
}

// TestAWordOfStopIsForWhatWasAskedBefore: delivered again, or late, it stops neither the
// run of a question that was asked after it nor, once it has stopped something, one that
// waited for its turn then.
func TestAWordOfStopIsForWhatWasAskedBefore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]func(w *world, m bot.Message, atWork chan struct{}) bot.Message{
		"asked_after": func(w *world, m bot.Message, atWork chan struct{}) bot.Message {
			stop := w.say("stop", m.Thread)
			w.replies(m.Thread, 1)
			w.say("work", m.Thread)
			<-atWork
			return stop
		},
		"after_the_stop": func(w *world, m bot.Message, atWork chan struct{}) bot.Message {
			stop := w.say("stop", m.Thread)
			w.say("work", m.Thread)
			<-atWork
			return stop
		},
		"late": func(w *world, m bot.Message, atWork chan struct{}) bot.Message {
			w.say("stop", m.Thread)
			w.replies(m.Thread, 1)
			late := m
			late.ID, late.Text, late.At = "late", "stop", m.At.Add(time.Millisecond)
			w.say("work", m.Thread)
			<-atWork
			return late
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atWork, end := make(chan struct{}, 8), make(chan struct{})
			w := newWorld(t, patient(atWork, end))
			m := w.say("work", w.platform.Thread("C1", ""))
			<-atWork
			w.deliver(c(w, m, atWork))
			close(end)
			if posts := w.replies(m.Thread, 2); posts[1].Card.Text != "done" {
				t.Errorf("the run of a later question says %q", posts[1].Card.Text)
			}
		})
	}
}

// TestAQuestionByCommandWaitsInItsTurn: the platform names commands by chance.
func TestAQuestionByCommandWaitsInItsTurn(t *testing.T) {
	t.Parallel()
	atWork, end := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, patient(atWork, end))
	here := w.platform.Thread("D1", "")
	here.Direct = true
	send := func(id, order, text string) {
		w.deliver(bot.Message{ID: id, Order: order, Thread: here, User: bot.User{ID: "U1"}, Reach: bot.ReachDirect, Text: text})
	}
	send("m1", "1", "work")
	<-atWork
	send("m2", "2", "second")
	w.order(bot.Invocation{Name: "ask", Args: "third", ID: "a", Order: "3", Thread: here, User: bot.User{ID: "U1"}})
	send("m4", "4", "fourth")
	close(end)
	w.replies(here, 4)
	var got []string
	for _, r := range w.agent.asked() {
		got = append(got, r.Text)
	}
	if want := []string{"work", "second", "third", "fourth"}; !slices.Equal(got, want) {
		t.Errorf("answered in the order %q, want %q", got, want)
	}
}

// TestAWordOfStopIsKnownByThePlatformsClock: a question that was given as a command is dated as its
// thread is, not by our clock, which goes an hour ahead: the word that follows it was said after it.
func TestAWordOfStopIsKnownByThePlatformsClock(t *testing.T) {
	t.Parallel()
	atWork := make(chan struct{}, 1)
	w := newWorld(t, patient(atWork, make(chan struct{})))
	w.order(bot.Invocation{
		Name: "ask", Args: "work", Thread: w.platform.Thread("C1", ""), User: bot.User{ID: "U1"},
		At: w.platform.Dated("m000001").Add(time.Hour),
	})
	<-atWork
	here := w.platform.Thread("C1", "m000001")
	w.say("stop", here)
	if posts := w.replies(here, 1); posts[0].Card.Text == "done" || len(w.agent.asked()) != 1 {
		t.Errorf("the run ends with %q", posts[0].Card.Text)
	}
}
