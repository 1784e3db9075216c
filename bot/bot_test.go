package bot_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
)

func TestMessageLeadsToOneFinalReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m := w.say("안녕하세요 마루", w.platform.Thread("C1", ""))
	posts := w.replies(m.Thread, 1)
	if got := posts[0].Card; got.Text != "echo: 안녕하세요 마루" || got.Kind != bot.CardText || got.Language != "ko" {
		t.Errorf("card is %+v", got)
	}
	w.settled()
	entries, err := w.bot.Transcript(w.ctx, m.Thread, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || entries[0].Own || !entries[1].Own || entries[1].Text != "echo: 안녕하세요 마루" {
		t.Errorf("transcript: %+v", entries)
	}
}

// TestBlankMessageAsksNothing: what nobody can see is no question for a model.
func TestBlankMessageAsksNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	for i, text := range []string{"", " \n", "\u200d\ufe0f", "\u2800"} {
		m := w.say(text, w.platform.Thread("C1", fmt.Sprint("t", i)))
		if got := w.replies(m.Thread, 1)[0].Card.Text; got != "How can I help? Please write your question." {
			t.Errorf("%+q is answered with %q", text, got)
		}
	}
	w.settled()
	if n := len(w.agent.asked()); n != 0 {
		t.Errorf("%d runs, want none", n)
	}
}

func TestSameMessageDeliveredOftenIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m := w.platform.Message("U1", "hello", w.platform.Thread("C1", ""))
	var all sync.WaitGroup
	for n := range 11 {
		all.Go(func() {
			again := m
			again.Delivery = fmt.Sprint("event-", n)
			w.deliver(again)
		})
	}
	all.Wait()
	w.replies(m.Thread, 1)
	w.settled()
	w.deliver(m) // and once more when it is long done
	w.settled()
	if n := len(w.platform.Posts(m.Thread)); n != 1 {
		t.Errorf("%d replies, want 1", n)
	}
	if n := len(w.agent.asked()); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
}

func TestThreadRunsOneAtATimeInOrder(t *testing.T) {
	t.Parallel()
	var running, most atomic.Int32
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer running.Add(-1)
		return echo(ctx, req, sink)
	})
	const messages = 60
	thread := w.platform.Thread("C1", "root")
	for n := range messages {
		w.say(fmt.Sprintf("number %03d", n), thread)
	}
	w.replies(thread, messages)
	for n, req := range w.agent.asked() {
		if want := fmt.Sprintf("number %03d", n); req.Text != want {
			t.Fatalf("run %d is %q, want %q", n, req.Text, want)
		}
	}
	if most.Load() != 1 {
		t.Errorf("%d runs at once in one thread", most.Load())
	}
}

func TestFailuresAreSentencesWithoutSecrets(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)
		ask   string
		want  string
	}{
		"panic":   {func(context.Context, agent.Request, agent.Sink) (agent.Result, error) { panic("boom secret-token") }, "hello", "Something went wrong on my side"},
		"unnamed": {func(context.Context, agent.Request, agent.Sink) (agent.Result, error) { return agent.Result{}, errTest }, "hello", "(ref-"},
		"named_korean": {func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
			return agent.Result{}, &agent.Failure{Code: "model_busy", Err: errTest}
		}, "안녕", "언어 모델이 지금 바빠서"},
		"busy_for_long": {func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
			return agent.Result{}, &agent.Failure{Code: "model_busy", After: 10*time.Minute + 12*time.Second, Err: errTest}
		}, "안녕", "10분 뒤에 다시 물어봐"},
		"deadline": {func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
			return agent.Result{}, fmt.Errorf("x: %w", context.DeadlineExceeded)
		}, "hello", "couldn't finish in time"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.think)
			m := w.say(c.ask, w.platform.Thread("C1", ""))
			text := w.replies(m.Thread, 1)[0].Card.Text
			if !strings.Contains(text, c.want) || strings.Contains(text, "secret") {
				t.Errorf("people read %q", text)
			}
		})
	}
}

// TestAnswerThatWasCutSaysSo checks the line under an answer whose writing call
// hit the limit of one reply, and that no other call's cut counts.
func TestAnswerThatWasCutSaysSo(t *testing.T) {
	t.Parallel()
	call := func(purpose string, cut bool) agent.Event {
		return agent.Event{Kind: agent.EventModelCall, Name: purpose, Cut: cut, Usage: &agent.Usage{Calls: 1}}
	}
	for name, tt := range map[string]struct {
		calls []agent.Event
		note  string
	}{
		"whole":                    {[]agent.Event{call("answer", false)}, ""},
		"cut":                      {[]agent.Event{call("answer", true), call("summary", false)}, "reached the length limit"},
		"cut_before_the_last_part": {[]agent.Event{call("answer", true), call("answer", false)}, ""},
		"another_call_cut":         {[]agent.Event{call("answer", false), call("review", true)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				for _, e := range tt.calls {
					sink(e)
				}
				return echo(ctx, req, sink)
			})
			m := w.say("hello", w.platform.Thread("C1", ""))
			card := w.replies(m.Thread, 1)[0].Card
			if tt.note == "" && card.Footer != "" || !strings.Contains(card.Footer, tt.note) {
				t.Errorf("footer %q, want %q", card.Footer, tt.note)
			}
		})
	}
}

func TestScopesFollowThePlaceAndThePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	thread := w.platform.Thread("C1", "root")
	w.say("hi", thread)
	w.replies(thread, 1)
	m := w.platform.Message("U2", "hi", thread)
	m.User.External = true
	w.deliver(m)
	w.replies(thread, 2)
	asked := w.agent.asked()
	if got := strings.Join(asked[0].Scopes, " "); got != "public channel:fake/T1/C1 team:fake/T1" {
		t.Errorf("a member reads %s", got)
	}
	if got := strings.Join(asked[1].Scopes, " "); got != "public" {
		t.Errorf("a stranger reads %s", got)
	}
}
