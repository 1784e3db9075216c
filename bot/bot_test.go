package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
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

func TestDeliveryFaults(t *testing.T) {
	t.Parallel()
	gone := &bot.DeliveryError{Op: "edit", Code: "message_not_found", Err: bot.ErrGone}
	cases := map[string][]bottest.Fault{
		"post_refused_at_first":          {{Op: "post", Err: errDown}, {Op: "post", Err: errDown}},
		"post_worked_but_said_it_failed": {{Op: "post", Err: errDown, After: true}},
		"edit_fails_at_first":            {{Op: "edit", Err: errDown}, {Op: "edit", Err: errDown}},
		"edit_worked_but_said_it_failed": {{Op: "edit", Err: errDown, After: true}},
	}
	for name, faults := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := make(chan struct{})
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				sink(agent.Event{Kind: agent.EventToken, Text: "draft"})
				<-begin
				return echo(ctx, req, sink)
			})
			w.platform.Fail(faults...)
			m := w.say("hello", w.platform.Thread("C1", ""))
			close(begin)
			w.replies(m.Thread, 1)
			w.settled()
			posts := w.platform.Posts(m.Thread)
			if len(posts) != 1 || posts[0].Card.Text != "echo: hello" {
				t.Errorf("replies: %+v", posts)
			}
		})
	}
	t.Run("deleted_reply_is_posted_anew", func(t *testing.T) {
		t.Parallel()
		shown, deleted := make(chan struct{}), make(chan struct{})
		w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
			sink(agent.Event{Kind: agent.EventToken, Text: "draft"})
			close(shown)
			<-deleted
			return echo(ctx, req, sink)
		})
		m := w.say("hello", w.platform.Thread("C1", ""))
		<-shown
		var posts []bottest.Post
		for len(posts) == 0 {
			posts = w.platform.Posts(m.Thread)
		}
		w.platform.Delete(posts[0].ID)
		close(deleted)
		if got := w.replies(m.Thread, 1); got[0].Card.Text != "echo: hello" {
			t.Errorf("replies: %+v", got)
		}
	})
	t.Run("what_may_not_be_edited_is_posted_anew", func(t *testing.T) { // a thread that was locked: whoever asked can be told elsewhere
		t.Parallel()
		shown, locked := make(chan struct{}), make(chan struct{})
		w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
			sink(agent.Event{Kind: agent.EventToken, Text: "draft"})
			close(shown)
			<-locked
			return echo(ctx, req, sink)
		})
		m := w.say("hello", w.platform.Thread("C1", ""))
		<-shown
		for len(w.platform.Posts(m.Thread)) == 0 {
			runtime.Gosched()
		}
		forbidden := &bot.DeliveryError{Op: "edit", Code: "50013", Err: bot.ErrForbidden}
		for range 20 { // the draft may still grow a few times
			w.platform.Fail(bottest.Fault{Op: "edit", Err: forbidden})
		}
		close(locked)
		w.settled()
		posts := w.platform.Posts(m.Thread)
		if len(posts) != 2 || posts[1].Card.Text != "echo: hello" {
			t.Errorf("replies: %+v", posts)
		}
	})
	_ = gone
}

func TestRestartInMidRunLeadsToOneReply(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	started := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "half an ans"})
		if calls.Add(1) == 1 {
			close(started)
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		}
		return echo(ctx, req, sink)
	})
	m := w.say("hello", w.platform.Thread("C1", ""))
	<-started
	w.stop()
	w.start()
	w.replies(m.Thread, 1)
	w.settled()
	posts := w.platform.Posts(m.Thread)
	if len(posts) != 1 || posts[0].Card.Text != "echo: hello" {
		t.Errorf("replies: %+v", posts)
	}
	asked := w.agent.asked()
	if len(asked) != 2 || asked[0].Run != asked[1].Run || !asked[0].Now.Equal(asked[1].Now) {
		t.Errorf("the second attempt is another run: %+v", asked)
	}
}

// TestARestartKeepsTheTrace: what a run did, and what that cost, before the program
// was stopped is told with what it did afterwards.
func TestARestartKeepsTheTrace(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	started := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		first := runs.Add(1) == 1
		name := map[bool]string{true: "route", false: "answer"}[first]
		sink(agent.Event{Kind: agent.EventModelCall, Name: name, Usage: &agent.Usage{Model: "m", Calls: 1, Input: 10}})
		if first {
			close(started)
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		}
		return echo(ctx, req, sink)
	})
	m := w.say("hello", w.platform.Thread("C1", ""))
	<-started
	w.stop()
	w.start()
	w.replies(m.Thread, 1)
	w.settled()
	all, err := w.store.RunsOf(w.ctx, m.Thread.Key(), 2)
	if err != nil || len(all) != 1 || all[0].Status != "done" {
		t.Fatalf("%v, runs %+v, want one that is done", err, all)
	}
	if got := string(all[0].Trace); !strings.Contains(got, `"route"`) || !strings.Contains(got, `"answer"`) {
		t.Errorf("the trace is %s, want both calls", got)
	}
	var u agent.Usage
	if err := json.Unmarshal(all[0].Usage, &u); err != nil || u.Calls != 2 || u.Input != 20 {
		t.Errorf("%v, usage %+v, want that of both calls", err, u)
	}
}

// TestARunThatWasOverBeforeACrashIsKept: it comes back without events, since all of
// its steps are done. If its trace was not saved either, "why" and the usage still
// know the run, not the one before it.
func TestARunThatWasOverBeforeACrashIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
		return agent.Result{Text: "15일이에요. [1]", Sources: []agent.Source{{N: 1, Title: "연차 휴가", Chunk: "leave#0"}}}, nil
	})
	m := w.say("연차는 며칠이야?", w.platform.Thread("C1", ""))
	card := w.replies(m.Thread, 1)[0].Card
	w.settled()
	runs, err := w.store.RunsOf(w.ctx, m.Thread.Key(), 2)
	if err != nil || len(runs) != 1 || runs[0].ID != card.Run || runs[0].Status != "done" || !strings.Contains(string(runs[0].Trace), "leave#0") {
		t.Errorf("%v, runs %+v, want that of the answer %s with what it cites", err, runs, card.Run)
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
		"deadline": {func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
			return agent.Result{}, fmt.Errorf("x: %w", context.DeadlineExceeded)
		}, "hello", "could not finish in time"},
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
		"cut":                      {[]agent.Event{call("answer", true), call("summary", false)}, "length limit of one reply"},
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

func TestStopWordsStopAtOnce(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"stop", "그만", "멈춰!"} {
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

func TestDeletedQuestion(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "about the secret"})
		close(started)
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	m := w.say("the secret plan", w.platform.Thread("C1", ""))
	<-started
	if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, At: m.At}); err != nil {
		t.Fatal(err)
	}
	if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(text, "deleted") || strings.Contains(text, "secret") {
		t.Errorf("reply: %q", text)
	}
	w.settled()
	entries, err := w.bot.Transcript(w.ctx, m.Thread, 10)
	if err != nil {
		t.Fatal(err)
	}
	if entries[0].Text != "" || !entries[0].Deleted {
		t.Errorf("the transcript still has %q", entries[0].Text)
	}
	if len(w.agent.amended) != 1 || w.agent.amended[0] != m.Key() {
		t.Errorf("the agent was told of %v", w.agent.amended)
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

func TestAnswerThatWasSeenIsNotDeliveredAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, echo)
	m := w.say("hello", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1) // and at once:
	w.stop()
	w.start()
	w.settled()
	if n := len(w.agent.asked()); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
}
