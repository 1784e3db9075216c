package bot_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// doomed is a process that from some moment on cannot finish an item any more, and dies of it.
type doomed struct {
	bot.Record
	tried chan struct{}
	well  atomic.Bool // that moment has not come
}

func (d *doomed) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	if d.well.Load() {
		return d.Record.Finish(ctx, l, item, out)
	}
	select {
	case d.tried <- struct{}{}:
	default:
	}
	return errDead
}

// laboring shows a plan and a text, says that it is at work, and works until it is
// ended.
func laboring(atWork chan struct{}) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if req.Text != "work" {
			return echo(ctx, req, sink)
		}
		raw, err := json.Marshal(agent.Plan{Title: "task", Steps: []agent.PlanStep{
			{Text: "first", State: agent.StepDone}, {Text: "second", State: agent.StepRunning}, {Text: "third"},
		}})
		if err != nil {
			return agent.Result{}, err
		}
		sink(agent.Event{Kind: agent.EventPlan, Data: raw})
		sink(agent.Event{Kind: agent.EventToken, Text: "half of it"})
		atWork <- struct{}{}
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	}
}

// TestAStopOutlivesTheProcess stops a run whose process dies before it can commit
// what came of it: the next one does not take the run up again, and says what was
// due, with what people had seen.
func TestAStopOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	atWork := make(chan struct{}, 8)
	w := newWorld(t, laboring(atWork))
	w.stop()
	dying := &doomed{tried: make(chan struct{}, 1)}
	w.change = func(c *service.Config) { dying.Record, c.Record = c.Record, dying }
	w.start()
	m := w.say("work", w.platform.Thread("C1", ""))
	<-atWork
	w.say("stop", m.Thread)
	<-dying.tried
	w.stop()
	w.change = nil
	w.start()
	w.settled()
	posts, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return p.Card.Final })
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, s := range posts.Card.Steps {
		states = append(states, string(s.State))
	}
	if posts.Card.Text != "half of it" || !posts.Card.Stopped || !strings.Contains(posts.Card.Footer, "Stopped, as you asked") || strings.Join(states, " ") != "done failed skipped" {
		t.Errorf("the reply says %+v", posts.Card)
	}
	if n := len(w.agent.asked()); n != 1 {
		t.Errorf("the run was begun %d times", n)
	}
	after := w.say("hello", m.Thread)
	w.replies(after.Thread, 2)
	if n := len(w.agent.asked()); n != 2 {
		t.Errorf("the thread does not go on: %d runs", n)
	}
}

// lasts notes which outcomes end their lease.
type lasts struct {
	bot.Record
	got chan bool
}

func (l *lasts) Finish(ctx context.Context, lease bot.Lease, item string, out bot.Outcome) error {
	if out.Reply != nil {
		l.got <- out.Last
	}
	return l.Record.Finish(ctx, lease, item, out)
}

// TestAStoppedRunKeepsItsLease: how it ended is saved after its item.
func TestAStoppedRunKeepsItsLease(t *testing.T) {
	t.Parallel()
	atWork := make(chan struct{}, 8)
	w := newWorld(t, laboring(atWork))
	w.stop()
	noted := &lasts{got: make(chan bool, 8)}
	w.change = func(c *service.Config) { noted.Record, c.Record = c.Record, noted }
	w.start()
	m := w.say("work", w.platform.Thread("C1", ""))
	<-atWork
	w.say("stop", m.Thread)
	if <-noted.got {
		t.Error("the lease of a stopped run ends with its item")
	}
	w.say("hello", m.Thread)
	if !<-noted.got {
		t.Error("the lease of an answer does not end with its item")
	}
}

// TestAStopThatIsDeliveredAgainSaysNothing: a platform that did not hear us, or that is asked
// after a restart what was missed, brings the word again when nothing is running any more.
func TestAStopThatIsDeliveredAgainSaysNothing(t *testing.T) {
	t.Parallel()
	atWork := make(chan struct{}, 8)
	w := newWorld(t, laboring(atWork))
	m := w.say("work", w.platform.Thread("C1", ""))
	<-atWork
	stop := w.say("stop", m.Thread)
	w.replies(m.Thread, 1)
	w.settled()
	w.deliver(stop)
	w.settled()
	if posts := w.replies(m.Thread, 1); len(posts) != 1 {
		t.Errorf("it is answered: %+v", posts[1:])
	}
	w.say("stop", m.Thread)
	if posts := w.replies(m.Thread, 2); posts[1].Card.Text != "Nothing is running here." {
		t.Errorf("another one is answered with %q", posts[1].Card.Text)
	}
}

// TestAStopIsHeardBeforeTheRunGoesOn says stop to a run that was broken off, and
// presses its button, while no process has taken it up again.
func TestAStopIsHeardBeforeTheRunGoesOn(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(w *world, m bot.Message, run string) bot.Answer{
		"said": func(w *world, m bot.Message, _ string) bot.Answer {
			w.say("stop", m.Thread)
			return bot.Answer{}
		},
		"said_by_a_clock_behind": func(w *world, m bot.Message, _ string) bot.Answer {
			m.ID, m.Text, m.At = "stop1", "stop", m.At.Add(-30*time.Second)
			w.deliver(m)
			return bot.Answer{}
		},
		"commanded_in_the_channel": func(w *world, m bot.Message, _ string) bot.Answer {
			for user, want := range map[string]string{"U2": "Nothing is running here", "U1": "Stopped"} {
				card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "stop", Thread: w.platform.Thread("C1", ""), User: bot.User{ID: user, Locale: "en"}})
				if err != nil || !strings.Contains(card.Text, want) {
					t.Errorf("%s is told %+v, %v", user, card, err)
				}
			}
			return bot.Answer{}
		},
		"pressed": func(w *world, m bot.Message, run string) bot.Answer {
			ans, err := w.bot.Action(w.ctx, bot.Action{ID: run, Verb: "run.stop", Thread: m.Thread, User: m.User})
			if err != nil {
				t.Error(err)
			}
			return ans
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atWork := make(chan struct{}, 8)
			w := newWorld(t, laboring(atWork))
			m := w.say("work", w.platform.Thread("C1", ""))
			<-atWork
			shown, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return len(p.Card.Buttons) > 0 })
			if err != nil {
				t.Fatal(err)
			}
			w.stop() // the program ends, the run does not
			idle := &idler{}
			w.change = func(c *service.Config) { idle.Record, c.Record = c.Record, idle }
			w.start()
			if ans := stop(w, m, shown.Card.Run); ans.Card != nil {
				t.Errorf("told %q", ans.Card.Text)
			}
			w.stop()
			w.change = nil
			w.start()
			w.settled()
			posts := w.platform.Posts(m.Thread)
			if len(posts) != 1 || !posts[0].Card.Final || !strings.Contains(posts[0].Card.Text, "Stopped, as you asked") {
				t.Errorf("the thread shows %+v", posts)
			}
			if n := len(w.agent.asked()); n != 1 {
				t.Errorf("the run was begun %d times", n)
			}
		})
	}
}

// Words that only have a stop in them are questions as any other.
func TestStopInASentenceStopsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"how do I stop a subscription?", "취소 수수료는 얼마야?", "stop words in Korean", "그만두면 퇴직금은?", "중지된 서비스 알려줘"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
				return agent.Result{Text: "an answer"}, nil
			})
			m := w.say(text, w.platform.Thread("C1", ""))
			if card := w.replies(m.Thread, 1)[0].Card; card.Text != "an answer" {
				t.Errorf("card: %+v", card)
			}
		})
	}
}

// idler is a record in which nobody finds work.
type idler struct{ bot.Record }

func (idler) Claim(context.Context, string, string, time.Duration, ...string) (l bot.Lease, ok bool, err error) {
	return l, false, nil
}

func TestStopWordsStopAtOnce(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"stop", "그만", "멈춰!", "Stop, please.", "please stop", "cancel it", "그만해줘", "그만 좀 해", "이제 그만~", "멈춰 주세요", "취소해 주세요!", "그만해요",
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			started := make(chan struct{})
			w := newWorld(t, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
				sink(agent.Event{Kind: agent.EventToken, Text: "so far"})
				close(started)
				<-ctx.Done()
				return agent.Result{}, ctx.Err()
			})
			m := w.say("long work please", w.platform.Thread("C1", ""))
			<-started
			w.say(word, m.Thread)
			card := w.replies(m.Thread, 1)[0].Card
			if card.Text != "so far" || !strings.Contains(card.Footer, "Stopped") {
				t.Errorf("card: %+v", card)
			}
		})
	}
}

// TestAStopIsKnownFromADecisionWhateverTheClocks: the record dates decisions, and the bot's
// clock may go minutes before or behind it. A stop after the decision holds when the process dies of
// it; one from before was about something else.
func TestAStopIsKnownFromADecisionWhateverTheClocks(t *testing.T) {
	t.Parallel()
	for name, skew := range map[string]time.Duration{"behind": -5 * time.Minute, "before": 5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atWork := make(chan struct{}, 8)
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				if len(req.Decisions) == 0 {
					return asking(ctx, req, sink)
				}
				return laboring(atWork)(ctx, req, sink)
			})
			w.stop()
			dying := &doomed{tried: make(chan struct{}, 1)}
			dying.well.Store(true) // the card may be shown once more first: by the record's clock its post is overdue
			at := func(c *service.Config) { c.Now = func() time.Time { return time.Now().Add(skew) } }
			w.change = at
			w.start()
			m := w.say("work", w.platform.Thread("C1", ""))
			card := waitingCard(w, m)
			if err := w.store.SetNote(w.ctx, "halt/"+card.Run, `{"why":"stop"}`); err != nil { // as if it came while the run came to its question
				t.Fatal(err)
			}
			w.stop()
			w.change = func(c *service.Config) { at(c); dying.Record, c.Record = c.Record, dying }
			w.start()
			w.act(click(m, button(t, card, "Approve"), "U1"))
			<-atWork // the old stop did not hold
			if note, err := w.store.Note(w.ctx, "halt/"+card.Run); err != nil || note != "" {
				t.Errorf("the old note stays: %q, %v", note, err)
			}
			dying.well.Store(false)
			w.say("stop", m.Thread)
			<-dying.tried
			w.stop()
			w.change = at
			w.start()
			w.until("the run is over", func() bool {
				if len(atWork) > 0 {
					t.Fatal("the run is taken up again")
				}
				n, _, err := w.store.Pending(w.ctx, "")
				return err == nil && n == 0
			})
			if posts := w.replies(m.Thread, 1); !strings.Contains(posts[0].Card.Footer, "Stopped, as you asked") {
				t.Errorf("the reply says %+v", posts[0].Card)
			}
			if n := len(w.agent.asked()); n != 2 {
				t.Errorf("the run was begun %d times", n)
			}
		})
	}
}

// TestAStopThatComesAtTheEnd: a run that has its answer gives it, and nothing is kept of the stop.
func TestAStopThatComesAtTheEnd(t *testing.T) {
	t.Parallel()
	atWork := make(chan struct{}, 1)
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "the answer"})
		atWork <- struct{}{}
		<-ctx.Done()
		return agent.Result{Text: "the answer"}, nil
	})
	m := w.say("work", w.platform.Thread("C1", ""))
	<-atWork
	w.say("stop", m.Thread)
	card := w.replies(m.Thread, 1)[0].Card
	if card.Text != "the answer" || card.Footer != "" && strings.Contains(card.Footer, "Stopped") {
		t.Errorf("the reply says %+v", card)
	}
	w.until("the note is gone", func() bool {
		note, err := w.store.Note(w.ctx, "halt/"+card.Run)
		return err == nil && note == ""
	})
}
