package slack_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/agent"
)

// However often and in whatever envelopes a message comes, there is one run and one
// reply, by a whole bot with its record on disk.
func TestOneMessageIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*slack.Config){"socket": nil, "http": overHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := hire(t, slackfake.Options{}, echo, change)
			ts := w.Say("U1", "C1", "<@UBOT> once", "")
			first := w.Deliveries()[0].ID
			event := func(kind string) map[string]any {
				return map[string]any{"type": kind, "channel": "C1", "channel_type": "channel", "user": "U1", "ts": ts, "event_ts": ts, "text": "<@UBOT> once"}
			}
			for range 3 { // the same body again, as after a lost acknowledgement
				w.Resend(first)
			}
			for range 11 { // fresh envelopes and event ids
				w.Emit(event("message"))
			}
			w.Emit(event("app_mention")) // in the other order
			w.until("answer", func() bool { return len(w.answers("C1", ts)) == 1 })
			w.settle()
			for range 3 { // long after it was answered
				w.Resend(first)
				w.Emit(event("message"))
			}
			w.settle()
			after := w.Say("U1", "C1", "<@UBOT> and another", ts)
			w.until("the next answer", func() bool { return len(w.answers("C1", ts)) == 2 })
			if n, got := len(w.agent.requests()), w.answers("C1", ts); n != 2 || !strings.HasSuffix(got[0], "echo: once") || !strings.HasSuffix(got[1], "echo: and another") { // a slow answer says above that it is done
				t.Errorf("%d runs, answers %q, after %s", n, got, after)
			}
		})
	}
}

// An envelope that Socket Mode sends again is acknowledged again and
// answered once.
func TestEveryCopyIsAcknowledged(t *testing.T) {
	t.Parallel()
	w := hire(t, slackfake.Options{}, echo, nil)
	ts := w.Say("U1", "C1", "<@UBOT> once", "")
	first := w.Deliveries()[0].ID
	for range 5 {
		w.settle()
		w.Resend(first)
	}
	w.settle()
	w.until("answer", func() bool { return len(w.answers("C1", ts)) == 1 })
	if d := w.Deliveries()[0]; d.Acks != d.Sent || d.Sent != 6 {
		t.Errorf("sent %d times, acknowledged %d times", d.Sent, d.Acks)
	}
	if n := len(w.agent.requests()); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// The acknowledgement is lost after the event was committed: Slack sends it
// again, and there is one run.
func TestLostAcknowledgement(t *testing.T) {
	t.Parallel()
	w := hire(t, slackfake.Options{}, echo, overHTTP)
	w.stop()
	var lost atomic.Int32
	w.work(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if lost.Add(1) <= 2 {
				h.ServeHTTP(httptest.NewRecorder(), r)
				if c, _, err := http.NewResponseController(rw).Hijack(); err == nil {
					_ = c.Close()
				}
				return
			}
			h.ServeHTTP(rw, r)
		})
	})
	ts := w.Say("U1", "C1", "<@UBOT> once", "")
	w.until("answer", func() bool { return len(w.answers("C1", ts)) == 1 })
	w.settle()
	if n := len(w.agent.requests()); n != 1 || len(w.answers("C1", ts)) != 1 {
		t.Errorf("%d runs, answers %q", n, w.answers("C1", ts))
	}
}

// Messages of one thread that come while it is being answered are
// answered one at a time and in their order.
func TestOneAtATimeInOrder(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	w := hire(t, slackfake.Options{}, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if strings.Contains(req.Text, "first") {
			select {
			case <-gate:
			case <-ctx.Done():
				return agent.Result{}, context.Cause(ctx)
			}
		}
		return echo(ctx, req, sink)
	}, nil)
	root := w.Say("U1", "C1", "<@UBOT> first", "")
	w.until("it is being answered", func() bool { return len(w.agent.requests()) == 1 })
	var events []map[string]any
	const n = 20
	for i := range n {
		ts := fmt.Sprintf("%s.%06d", strings.Split(root, ".")[0], 900_000+i)
		events = append(events, map[string]any{
			"type": "message", "channel": "C1", "channel_type": "channel", "user": "U1", "ts": ts, "event_ts": ts, "thread_ts": root,
			"text": fmt.Sprintf("<@UBOT> number %02d", i),
		})
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(n, func(i, j int) { events[i], events[j] = events[j], events[i] })
	for _, e := range events {
		w.Emit(e)
	}
	w.settle()
	close(gate)
	w.until("all answers", func() bool { return len(w.answers("C1", root)) == n+1 })
	for i, req := range w.agent.requests()[1:] {
		if want := fmt.Sprintf("number %02d", i); req.Text != want {
			t.Errorf("run %d is of %q, want %q", i, req.Text, want)
		}
	}
	if w.agent.crowded {
		t.Error("two runs at once on one thread")
	}
}

// A message that is deleted while it is answered stops its run, and what
// was streamed of the answer goes.
func TestDeletedWhileAnswered(t *testing.T) {
	t.Parallel()
	w := hire(t, slackfake.Options{}, func(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "The secret is forty-two and some more words. "})
		<-ctx.Done()
		return agent.Result{}, context.Cause(ctx)
	}, nil)
	ts := w.Say("U1", "C1", "<@UBOT> tell me", "")
	w.until("some of the answer", func() bool {
		r := w.Replies("C1", ts)
		return len(r) == 1 && strings.Contains(r[0].Shown(), "secret")
	})
	w.Erase("C1", ts)
	w.until("the answer goes", func() bool {
		r := w.Replies("C1", ts)
		return len(r) == 1 && !r[0].Streaming() && !strings.Contains(r[0].Shown(), "secret")
	})
	if n := w.OpenStreams(); n != 0 {
		t.Errorf("%d streams are open", n)
	}
}

// A message that is edited while it is answered is answered as it reads
// then, in the same message, and nothing of the first answer stays.
func TestEditedWhileAnswered(t *testing.T) {
	t.Parallel()
	w := hire(t, slackfake.Options{}, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if !strings.Contains(req.Text, "old") {
			return echo(ctx, req, sink)
		}
		sink(agent.Event{Kind: agent.EventToken, Text: "The old answer is forty-two and some more words. "})
		<-ctx.Done()
		return agent.Result{}, context.Cause(ctx)
	}, nil)
	ts := w.Say("U1", "C1", "<@UBOT> the old question", "")
	w.until("some of the answer", func() bool {
		r := w.Replies("C1", ts)
		return len(r) == 1 && strings.Contains(r[0].Shown(), "forty-two")
	})
	w.Rewrite("C1", ts, "<@UBOT> the new question")
	w.until("the new answer", func() bool {
		r := w.answers("C1", ts)
		return len(r) == 1 && strings.Contains(r[0], "echo: the new question")
	})
	w.settle()
	if r := w.answers("C1", ts); len(r) != 1 || strings.Contains(r[0], "forty-two") || w.OpenStreams() != 0 {
		t.Errorf("answers %q, %d open streams", r, w.OpenStreams())
	}
}

// The bot answers neither itself nor other bots, mentioned or not.
func TestNoLoops(t *testing.T) {
	t.Parallel()
	w := hire(t, slackfake.Options{}, echo, nil) // the fake sends the bot's messages back to it
	w.AddUser(slackfake.User{ID: "UOTHER", Name: "other", Bot: true})
	ts := w.Say("U1", "C1", "<@UBOT> hello", "")
	w.until("answer", func() bool { return len(w.answers("C1", ts)) == 1 })
	for i := range 5 {
		at := fmt.Sprintf("1900000000.%06d", i)
		for _, e := range []map[string]any{
			{"user": "UOTHER", "bot_id": "BOTHER", "text": "<@UBOT> what do you say?"},
			{"user": "UOTHER", "bot_id": "BOTHER", "subtype": "bot_message", "text": "<@UBOT> hm?"},
			{"user": "UBOT", "bot_id": "BMARU", "text": "<@UBOT> echo: hello"},
		} {
			e["type"], e["channel"], e["channel_type"], e["ts"], e["thread_ts"] = "message", "C1", "channel", at, ts
			w.Emit(e)
		}
	}
	w.settle()
	last := w.Say("U1", "C1", "<@UBOT> bye", ts)
	w.until("the last answer", func() bool { return len(w.answers("C1", ts)) == 2 })
	if n := len(w.agent.requests()); n != 2 {
		t.Errorf("%d runs by %s", n, last)
	}
}

// When it is mentioned in a running thread the bot knows what was said before,
// also when it was asked by a shortcut.
func TestThreadIsReadBefore(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"mention", "shortcut"} {
		w := hire(t, slackfake.Options{}, echo, nil)
		root := w.Say("U2", "C1", "The parcel arrived on Monday.", "")
		for i := range 210 { // more than a page
			w.Say("U3", "C1", fmt.Sprint("remark ", i), root)
		}
		w.settle()
		if how == "mention" {
			w.Say("U1", "C1", "<@UBOT> summarise this", root)
		} else {
			w.Shortcut("U1", "C1", root, "maru_summarise")
		}
		w.until("answer", func() bool { return len(w.answers("C1", root)) == 1 })
		before := w.agent.requests()[0].Context
		if len(before) < 20 || before[len(before)-1].Text != "remark 209" {
			t.Errorf("%s: %d turns before, the last %+v", how, len(before), before[max(0, len(before)-1):])
		}
	}
}
