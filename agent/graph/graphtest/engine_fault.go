package graphtest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent/graph"
)

func faultCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"finished_sibling_not_rerun_after_error":        siblingOfError,
		"failing_store_fails_the_run":                   failingStore,
		"cancel_in_second_node_keeps_the_first_step":    cancelSecond,
		"endless_loop_is_an_error":                      endlessLoop,
		"panic_is_a_node_error":                         panics,
		"two_runs_at_once_on_one_thread":                twoRuns,
		"parallel_writers_without_reducer_are_an_error": parallelWrite,
		"old_fence_cannot_write":                        oldFence,
		"mutating_the_state_is_an_error":                mutation,
		"stuck_join_is_an_error":                        stuckJoin,
	}
}

func siblingOfError(t *testing.T, r *rig) {
	n := r.net()
	n.node("x", nil)
	fail := true
	xDone := make(chan struct{})
	n.node("y", func(context.Context, graph.State) ([]graph.Write, error) {
		if fail {
			<-xDone
			return nil, errors.New("boom")
		}
		return []graph.Write{n.log.Add("y")}, nil
	})
	n.node("join", nil)
	n.path(graph.Start, "x", "join", graph.End)
	n.path(graph.Start, "y", "join")
	p := n.compile(graph.Options{})
	sink := func(e *graph.Event) {
		if e.Kind == graph.EventNodeEnd && e.Node == "x" {
			close(xDone)
		}
	}
	_, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1", Sink: sink})
	var ne *graph.NodeError
	if !errors.As(err, &ne) || ne.Node != "y" || ne.Step != 1 {
		t.Fatalf("error %v, want y's", err)
	}
	fail = false
	res := r.run(p, "1")
	wantDone(t, res)
	n.wantLog(t, res.State, "x", "y", "join")
	r.wantRuns("x", 1)
	r.wantRuns("y", 2)
}

func failingStore(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", nil)
	n.asker("b")
	n.node("c", nil)
	n.line("a", "b", "c")
	p := n.compile(graph.Options{})
	good := r.config.Checkpointer
	for ok := range 3 { // input, step of a, b's question
		r.kept, r.config.Checkpointer = nil, &failing{Checkpointer: good, after: ok}
		_, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread + strconv.Itoa(ok), Turn: "1"})
		if !errors.Is(err, errDisk) {
			t.Fatalf("append %d fails: %v, want the store's error", ok+1, err)
		}
		if ok == 0 {
			r.wantRuns("a", 0)
		}
	}
	r.kept, r.config.Checkpointer = nil, good
	r.thread += "2"
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	res, err := r.answer(p, yes(in))
	must(t, err)
	n.wantLog(t, res.State, "a", `b="yes"`, "c")
}

func cancelSecond(t *testing.T, r *rig) {
	ctx, cancel := context.WithCancel(t.Context())
	first := true
	n := r.net()
	n.node("a", nil)
	n.node("b", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		if first {
			first = false
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return []graph.Write{n.log.Add("b")}, nil
	})
	n.line("a", "b")
	p := n.compile(graph.Options{})
	res, err := r.runtime().Run(ctx, p, graph.Call{Thread: r.thread, Turn: "1"})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want context.Canceled", err)
	}
	n.wantLog(t, res.State, "a")
	if _, err := r.runtime().Run(ctx, p, graph.Call{Thread: r.thread, Turn: "1"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("run with a cancelled context: %v", err)
	}
	r.wantRuns("b", 1)
	n.wantLog(t, r.run(p, "1").State, "a", "b")
	r.wantRuns("a", 1)
}

func endlessLoop(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", func(context.Context, graph.State) ([]graph.Write, error) {
		return []graph.Write{n.sum.Add(1)}, nil
	})
	n.Edge(graph.Start, "a")
	n.Switch("a", func(s graph.State) string {
		if n.sum.Get(s) == 120 {
			return graph.End
		}
		return "a"
	}, "a", graph.End)
	p := n.compile(graph.Options{})
	for want := 50; want <= 100; want += 50 {
		res, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"})
		var limit *graph.StepLimitError
		if !errors.As(err, &limit) || !errors.Is(err, graph.ErrStepLimit) || limit.Limit != 50 || res.Done {
			t.Fatalf("error %v, want the step limit", err)
		}
		if got := n.sum.Get(res.State); got != want {
			t.Fatalf("counted %d, want %d", got, want)
		}
	}
	wantDone(t, r.run(p, "1"))
	r.wantRuns("a", 120)
}

func panics(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", func(context.Context, graph.State) ([]graph.Write, error) { panic("secret of a") })
	n.node("b", nil)
	n.path(graph.Start, "a", graph.End)
	n.path(graph.Start, "b", graph.End)
	p := n.compile(graph.Options{})
	_, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"})
	var pe *graph.PanicError
	if !errors.As(err, &pe) || !strings.Contains(string(pe.Stack), "panics") {
		t.Fatalf("error %v, want a panic with its stack", err)
	}
	m := r.net()
	m.node("a", nil)
	m.Edge(graph.Start, "a")
	m.Switch("a", func(graph.State) string { panic("router") }, graph.End)
	q := m.compile(graph.Options{})
	_, err = r.runtime().Run(t.Context(), q, graph.Call{Thread: r.thread + "r", Turn: "1"})
	if !errors.As(err, &pe) {
		t.Fatalf("error %v, want the router's panic", err)
	}
}

// twoRuns runs turns of two processes on one thread: the loser gets a typed error, and every acknowledged turn is in
// the log once.
func twoRuns(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		return []graph.Write{n.log.Add("turn " + strconv.Itoa(n.last.Get(s)))}, nil
	})
	n.line("a")
	p := n.compile(graph.Options{})
	var acked atomic.Int64
	errs := make(chan error, 2)
	for w := range 2 {
		rt := graph.NewRuntime(r.config)
		go func() {
			var fail error
			for i := range 10 {
				turn := w*10 + i
				_, err := rt.Run(t.Context(), p, graph.Call{
					Thread: r.thread, Turn: strconv.Itoa(turn), Input: []graph.Write{n.last.Set(turn)}, Abandon: true,
				})
				switch {
				case err == nil:
					acked.Add(1)
				case !errors.Is(err, graph.ErrConflict):
					fail = err
				}
			}
			errs <- fail
		}()
	}
	must(t, errors.Join(<-errs, <-errs))
	res, err := r.runtime().Peek(t.Context(), p, r.thread)
	must(t, err)
	seen := map[string]int{}
	for _, l := range n.log.Get(res.State) {
		seen[l]++
	}
	if int64(len(seen)) < acked.Load() || len(seen) != len(n.log.Get(res.State)) {
		t.Fatalf("%d turns acknowledged, log %v", acked.Load(), n.log.Get(res.State))
	}
}

func parallelWrite(t *testing.T, r *rig) {
	n := r.net()
	set := func(context.Context, graph.State) ([]graph.Write, error) {
		return []graph.Write{n.last.Set(1), n.last.Set(2)}, nil
	}
	n.node("x", set)
	n.node("y", set)
	n.path(graph.Start, "x", graph.End)
	n.path(graph.Start, "y", graph.End)
	_, err := r.runtime().Run(t.Context(), n.compile(graph.Options{}), graph.Call{Thread: r.thread, Turn: "1"})
	if !errors.Is(err, graph.ErrParallelWrite) || !strings.Contains(err.Error(), `"last"`) {
		t.Fatalf("error %v, want ErrParallelWrite naming the channel", err)
	}
}

func oldFence(t *testing.T, r *rig) {
	f, ok := r.cp.(Fencer)
	if !ok {
		t.Skip("the checkpointer has no RaiseFence: leases are checked by its own tests")
	}
	n := r.net()
	n.node("a", nil)
	n.node("b", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		return []graph.Write{n.log.Add("b")}, f.RaiseFence(ctx, r.thread, 2)
	})
	n.line("a", "b")
	p := n.compile(graph.Options{})
	_, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1", Fence: 1})
	if !errors.Is(err, graph.ErrFenced) {
		t.Fatalf("error %v, want ErrFenced", err)
	}
	res, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1", Fence: 2})
	must(t, err)
	n.wantLog(t, res.State, "a", "b")
	r.wantRuns("a", 1)
}

func mutation(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", nil)
	n.node("b", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		n.log.Get(s)[0] = "changed"
		return nil, nil
	})
	n.line("a", "b")
	_, err := r.runtime().Run(t.Context(), n.compile(graph.Options{}), graph.Call{Thread: r.thread, Turn: "1"})
	var ne *graph.NodeError
	if !errors.As(err, &ne) || ne.Node != "b" || !strings.Contains(err.Error(), "changed the state") {
		t.Fatalf("error %v, want b's mutation", err)
	}
}

func stuckJoin(t *testing.T, r *rig) {
	n := r.net()
	n.node("x", nil)
	n.node("y", nil)
	n.node("join", nil)
	n.Switch(graph.Start, func(graph.State) string { return "x" }, "x", "y")
	n.Join("join", "x", "y")
	n.Edge("join", graph.End)
	_, err := r.runtime().Run(t.Context(), n.compile(graph.Options{}), graph.Call{Thread: r.thread, Turn: "1"})
	if !errors.Is(err, graph.ErrStuck) || !strings.Contains(err.Error(), "join waits for y") {
		t.Fatalf("error %v, want ErrStuck naming join and y", err)
	}
}
