package bot_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent"
)

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
