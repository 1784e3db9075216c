package agent_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/logtest"
)

// fake is an agent whose run is a func.
type fake func(ctx context.Context, sink agent.Sink) (agent.Result, error)

func (fake) Name() string { return "fake" }

func (f fake) Run(ctx context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
	return f(ctx, sink)
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func run(t *testing.T, f fake, sink agent.Sink) (agent.Result, agent.Trace, string, error) {
	t.Helper()
	var log logtest.Log
	r := agent.NewRunner(log.Logger(), time.Minute, func() time.Time { return noon }, f)
	res, tr, err := r.Run(t.Context(), agent.Request{Run: "r1", Agent: "fake"}, sink)
	return res, tr, log.String(), err
}

func TestTraceHoldsEverythingButTokens(t *testing.T) {
	t.Parallel()
	var seen []agent.Event
	_, tr, _, err := run(t, func(_ context.Context, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "a"})
		sink(agent.Event{Kind: agent.EventModelCall, Usage: &agent.Usage{Calls: 1, Input: 10}})
		sink(agent.Event{Kind: agent.EventModelCall, Usage: &agent.Usage{Calls: 1, Input: 5}})
		return agent.Result{Text: "a"}, nil
	}, func(e agent.Event) { seen = append(seen, e) })
	if err != nil || len(seen) != 3 || len(tr.Events) != 2 || tr.Usage.Calls != 2 || tr.Usage.Input != 15 {
		t.Errorf("%v, %d events seen, trace %+v", err, len(seen), tr)
	}
	if seen[0].Run != "r1" || !seen[0].At.Equal(noon) {
		t.Errorf("an event is not stamped: %+v", seen[0])
	}
}

func TestCallsAreCharged(t *testing.T) {
	t.Parallel()
	spent := &agent.Usage{Model: "m", Calls: 1, Input: 10, Output: 2}
	r := agent.NewRunner(slog.New(slog.DiscardHandler), 0, time.Now, fake(func(_ context.Context, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventModelCall, Usage: spent})
		sink(agent.Event{Kind: agent.EventModelCall, Usage: &agent.Usage{Model: "free", Calls: 1, Input: 10}})
		return agent.Result{}, nil
	}))
	r.Charge(func(u agent.Usage) float64 {
		if u.Model == "free" {
			return 0
		}
		return float64(u.Input) + 3*float64(u.Output)
	})
	_, tr, err := r.Run(t.Context(), agent.Request{Run: "r1", Agent: "fake"}, nil)
	if err != nil || tr.Usage.Cost != 16 || tr.Events[0].Usage.Cost != 16 || tr.Events[1].Usage.Cost != 0 || spent.Cost != 0 {
		t.Errorf("%v, cost %v, events %+v", err, tr.Usage.Cost, tr.Events)
	}
}

func TestPanicFailsTheRunAlone(t *testing.T) {
	t.Parallel()
	_, _, log, err := run(t, func(context.Context, agent.Sink) (agent.Result, error) { panic("boom") }, nil)
	if !errors.Is(err, agent.ErrPanic) || strings.Contains(err.Error(), "boom") || !strings.Contains(log, "boom") {
		t.Errorf("error %v, log %s", err, log)
	}
}

func TestTraceIsBounded(t *testing.T) {
	t.Parallel()
	_, tr, _, _ := run(t, func(_ context.Context, sink agent.Sink) (agent.Result, error) {
		for range agent.MaxTrace + 10 {
			sink(agent.Event{Kind: agent.EventStatus})
		}
		sink(agent.Event{Kind: agent.EventMemory})
		return agent.Result{}, nil
	}, nil)
	if len(tr.Events) != agent.MaxTrace || tr.Dropped != 11 || tr.Events[agent.MaxTrace-1].Kind != agent.EventMemory {
		t.Errorf("%d events, %d dropped", len(tr.Events), tr.Dropped)
	}
}

func TestUnknownAgent(t *testing.T) {
	t.Parallel()
	r := agent.NewRunner(slog.New(slog.DiscardHandler), 0, time.Now)
	if _, _, err := r.Run(t.Context(), agent.Request{Agent: "nobody"}, nil); !errors.Is(err, agent.ErrUnknownAgent) {
		t.Errorf("error is %v", err)
	}
}

func TestRunHasADeadline(t *testing.T) {
	t.Parallel()
	f := fake(func(ctx context.Context, _ agent.Sink) (agent.Result, error) {
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	r := agent.NewRunner(slog.New(slog.DiscardHandler), time.Millisecond, time.Now, f)
	if _, _, err := r.Run(t.Context(), agent.Request{Agent: "fake"}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}
