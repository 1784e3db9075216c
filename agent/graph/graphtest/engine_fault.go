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
		"failed_node_runs_again_and_effects_do_not":     failedNode,
		"retry_repeats_the_node_not_its_effects":        retries,
		"ambiguous_effect_is_refused_or_reconciled":     ambiguous,
		"effect_that_was_not_applied_may_run_again":     notApplied,
		"parallel_writers_without_reducer_are_an_error": parallelWrite,
		"old_fence_cannot_write":                        oldFence,
		"mutating_the_state_is_an_error":                mutation,
		"stuck_join_is_an_error":                        stuckJoin,
		"changed_plan_is_refused_or_accepted":           changedPlan,
		"unknown_channel_in_the_log_is_an_error":        unknownChannel,
		"store_failure_after_effect_keeps_the_effect":   storeAfterEffect,
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

// twoRuns lets two processes run turns on one thread: whatever loses gets a
// typed error, and every acknowledged turn is in the log once.
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

func failedNode(t *testing.T, r *rig) {
	n := r.net()
	fails := 2
	n.node("act", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		v, err := graph.Once(ctx, "pay", func(context.Context, string) (int, error) {
			r.count("pay")
			return 7, nil
		})
		if err != nil {
			return nil, err
		}
		if fails--; fails >= 0 {
			return nil, errors.New("later")
		}
		return []graph.Write{n.sum.Add(v)}, nil
	})
	n.line("act")
	p := n.compile(graph.Options{})
	for range 2 {
		if _, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"}); err == nil {
			t.Fatal("the node's error is lost")
		}
	}
	res := r.run(p, "1")
	if n.sum.Get(res.State) != 7 {
		t.Errorf("sum %d, want 7", n.sum.Get(res.State))
	}
	r.wantRuns("pay", 1)
	res = r.run(p, "2")
	r.wantRuns("pay", 2)
	if n.sum.Get(res.State) != 14 {
		t.Errorf("sum %d, want 14", n.sum.Get(res.State))
	}
}

func retries(t *testing.T, r *rig) {
	n := r.net()
	keys := map[string]bool{}
	n.policy("act", graph.Policy{Retry: graph.Retry{Attempts: 4}}, func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		if _, err := graph.Once(ctx, "done", func(context.Context, string) (bool, error) {
			r.count("done")
			return true, nil
		}); err != nil {
			return nil, err
		}
		_, err := graph.Once(ctx, "shaky", func(_ context.Context, key string) (bool, error) {
			r.count("shaky")
			keys[key] = true
			if r.runs["shaky"] < 3 {
				return false, errors.New("not yet")
			}
			return true, nil
		})
		return nil, err
	})
	n.line("act")
	r.run(n.compile(graph.Options{}), "1")
	r.wantRuns("act", 3)
	r.wantRuns("done", 1)
	r.wantRuns("shaky", 3)
	if len(keys) != 1 {
		t.Errorf("%d idempotency keys, want one", len(keys))
	}
}

// ambiguous: the deed was done and the process died before its record.
func ambiguous(t *testing.T, r *rig) {
	for name, want := range map[string]struct {
		effect graph.Effect[string]
		deeds  int
		err    error
	}{
		"refuse":    {graph.Effect[string]{Ambiguous: graph.Refuse}, 1, graph.ErrAmbiguous},
		"repeat":    {graph.Effect[string]{}, 2, nil},
		"reconcile": {graph.Effect[string]{Reconcile: func(context.Context, string) (string, bool, error) { return "found", true, nil }}, 1, nil},
		"not found": {graph.Effect[string]{Reconcile: func(context.Context, string) (string, bool, error) { return "", false, nil }}, 2, nil},
	} {
		n := r.net()
		deeds, dies := 0, true
		e := want.effect
		e.Name = "post"
		e.Do = func(context.Context, string) (string, error) {
			deeds++
			if dies {
				panic("the process dies here")
			}
			return "done", nil
		}
		n.node("act", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
			v, err := e.Run(ctx)
			return []graph.Write{n.log.Add(v)}, err
		})
		n.line("act")
		p := n.compile(graph.Options{})
		call := graph.Call{Thread: r.thread + name, Turn: "1"}
		if _, err := r.runtime().Run(t.Context(), p, call); err == nil {
			t.Fatal("the panic is lost")
		}
		dies = false
		if _, err := r.runtime().Run(t.Context(), p, call); !errors.Is(err, want.err) {
			t.Errorf("%s: error %v, want %v", name, err, want.err)
		}
		if deeds != want.deeds {
			t.Errorf("%s: done %d times, want %d", name, deeds, want.deeds)
		}
	}
}

func notApplied(t *testing.T, r *rig) {
	n := r.net()
	fail := true
	n.node("act", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		v, err := graph.Effect[string]{Name: "post", Ambiguous: graph.Refuse, Do: func(context.Context, string) (string, error) {
			if fail {
				return "", errors.Join(graph.ErrNotApplied, errors.New("refused by the service"))
			}
			return "ok", nil
		}}.Run(ctx)
		return []graph.Write{n.log.Add(v)}, err
	})
	n.line("act")
	p := n.compile(graph.Options{})
	if _, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"}); !errors.Is(err, graph.ErrNotApplied) {
		t.Fatalf("error %v, want ErrNotApplied", err)
	}
	fail = false
	n.wantLog(t, r.run(p, "1").State, "ok")
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

func changedPlan(t *testing.T, r *rig) {
	build := func(extra, asker string, accept ...string) (net, *graph.Plan) {
		n := r.net()
		n.asker(asker)
		if extra == "" {
			n.line(asker)
		} else {
			n.node(extra, nil)
			n.line(asker, extra)
		}
		return n, n.compile(graph.Options{Accept: accept})
	}
	before, old := build("", "ask")
	in := wantWaiting(t, r.run(old, "1"), 1)[0]
	_, changed := build("more", "ask")
	var pe *graph.PlanError
	if _, err := r.answer(changed, yes(in)); !errors.As(err, &pe) || !errors.Is(err, graph.ErrPlanChanged) || pe.Was != old.Hash() {
		t.Fatalf("answer under a changed plan: %v", err)
	}
	_, renamed := build("more", "question", old.Hash())
	if _, err := r.answer(renamed, yes(in)); !errors.As(err, &pe) || len(pe.Missing) != 1 {
		t.Fatalf("answer under a plan without the waiting node: %v", err)
	}
	r.wantRuns("ask", 1)
	n, accepted := build("more", "ask", old.Hash())
	res, err := r.answer(accepted, yes(in))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, `ask="yes"`, "more")
	before.wantLog(t, r.run(old, "1").State, `ask="yes"`, "more")
}

func unknownChannel(t *testing.T, r *rig) {
	plan := func(s *graph.Schema) *graph.Plan {
		b := graph.New("case", s)
		b.Node("a", func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }, graph.Policy{})
		b.Edge(graph.Start, "a")
		b.Edge("a", graph.End)
		p, err := b.Compile(graph.Options{})
		must(t, err)
		return p
	}
	old := graph.NewSchema()
	gone := graph.NewLast(old, "gone", graph.PerThread, graph.Int())
	r.run(plan(old), "1", gone.Set(1))
	var re *graph.RecordError
	_, err := r.runtime().Run(t.Context(), plan(graph.NewSchema()), graph.Call{Thread: r.thread, Turn: "2"})
	if !errors.As(err, &re) || !errors.Is(err, graph.ErrCorrupt) || re.Channel != "gone" || re.Seq != 1 {
		t.Fatalf("unknown channel: %v", err)
	}
	other := graph.NewSchema()
	graph.NewLast(other, "gone", graph.PerThread, graph.String())
	_, err = r.runtime().Run(t.Context(), plan(other), graph.Call{Thread: r.thread, Turn: "2"})
	if !errors.As(err, &re) || re.Channel != "gone" {
		t.Fatalf("other type: %v", err)
	}
	retired := graph.NewSchema()
	retired.Retire("gone")
	wantDone(t, r.run(plan(retired), "2"))
}

func storeAfterEffect(t *testing.T, r *rig) {
	n := r.net()
	n.node("act", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		v, err := graph.Once(ctx, "pay", func(context.Context, string) (string, error) {
			r.count("pay")
			return "paid", nil
		})
		return []graph.Write{n.log.Add(v)}, err
	})
	n.line("act")
	p := n.compile(graph.Options{})
	good := r.config.Checkpointer
	r.config.Checkpointer = &failing{Checkpointer: good, after: 2} // input, effect; not the step
	if _, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"}); !errors.Is(err, errDisk) {
		t.Fatalf("error %v, want the store's", err)
	}
	r.kept, r.config.Checkpointer = nil, good
	n.wantLog(t, r.run(p, "1").State, "paid")
	r.wantRuns("pay", 1)
}
