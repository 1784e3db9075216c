package graphtest

import (
	"context"
	"errors"
	"testing"

	"maru/agent/graph"
)

func effectCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"failed_node_runs_again_and_effects_do_not":   failedNode,
		"retry_repeats_the_node_not_its_effects":      retries,
		"ambiguous_effect_is_refused_or_reconciled":   ambiguous,
		"effect_that_was_not_applied_may_run_again":   notApplied,
		"store_failure_after_effect_keeps_the_effect": storeAfterEffect,
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
		_, err := graph.Repeatable(ctx, "shaky", func(_ context.Context, key string) (bool, error) {
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

// ambiguous: the process died between the effect and its record.
func ambiguous(t *testing.T, r *rig) {
	for name, want := range map[string]struct {
		effect graph.Effect[string]
		deeds  int
		err    error
	}{
		"refuse":    {graph.Effect[string]{}, 1, graph.ErrAmbiguous},
		"repeat":    {graph.Effect[string]{Repeat: true}, 2, nil},
		"late":      {graph.Effect[string]{}, 1, graph.ErrAmbiguous}, // it may be repeated only since it was begun
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
		dies, e.Repeat = false, e.Repeat || name == "late"
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
		v, err := graph.Effect[string]{Name: "post", Do: func(context.Context, string) (string, error) {
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
	r.config.Checkpointer = &failing{Checkpointer: good, after: 3} // input, intent, effect; not the step
	if _, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"}); !errors.Is(err, errDisk) {
		t.Fatalf("error %v, want the store's", err)
	}
	r.kept, r.config.Checkpointer = nil, good
	n.wantLog(t, r.run(p, "1").State, "paid")
	r.wantRuns("pay", 1)
}
