package graphtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"maru/agent/graph"
)

func flowCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"updates_are_applied_in_the_order_of_tasks": updateOrder,
		"fan_out_over_a_list_is_capped":             fanOutCapped,
		"fan_out_with_subgraphs_runs_all_branches":  fanOutSubgraphs,
		"join_waits_for_paths_of_different_length":  joinLengths,
		"join_survives_a_restart_in_between":        joinRestart,
		"conditional_edge_to_several":               severalTargets,
		"subgraph_is_not_rerun_when_its_node_is":    subgraphOnce,
		"nested_subgraphs":                          nested,
		"an_error_within_a_subgraph_names_it":       subgraphError,
		"a_bad_target_is_an_error":                  badTarget,
	}
}

// updateOrder ends its tasks in reverse order.
func updateOrder(t *testing.T, r *rig) {
	n := r.net()
	const tasks = 6
	ended := [tasks + 1]chan struct{}{}
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	close(ended[tasks])
	n.node("work", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		i, err := graph.Arg[int](s)
		if err != nil {
			return nil, err
		}
		<-ended[i+1]
		close(ended[i])
		return []graph.Write{n.log.Add("t" + strconv.Itoa(i))}, nil
	})
	n.Branch(graph.Start, func(context.Context, graph.State) ([]graph.Send, error) {
		var sends []graph.Send
		for i := range tasks {
			sends = append(sends, graph.SendTo("work", i))
		}
		return sends, nil
	}, "work")
	n.Edge("work", graph.End)
	res := r.run(n.compile(graph.Options{}), "1")
	n.wantLog(t, res.State, "t0", "t1", "t2", "t3", "t4", "t5")
	cold, err := r.runtime().Peek(t.Context(), n.compile(graph.Options{}), r.thread)
	must(t, err)
	n.wantLog(t, cold.State, "t0", "t1", "t2", "t3", "t4", "t5")
}

func fanOutCapped(t *testing.T, r *rig) {
	n := r.net()
	const tasks, limit = 20, 5
	var (
		mu          sync.Mutex
		active, top int
		full        = make(chan struct{})
	)
	n.node("work", func(context.Context, graph.State) ([]graph.Write, error) {
		mu.Lock()
		active++
		top = max(top, active)
		if active == limit && top == limit {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		mu.Unlock()
		<-full // none ends before limit tasks run at once
		mu.Lock()
		active--
		mu.Unlock()
		return []graph.Write{n.sum.Add(1)}, nil
	})
	n.node("join", nil)
	n.Branch(graph.Start, func(context.Context, graph.State) ([]graph.Send, error) {
		var sends []graph.Send
		for i := range tasks {
			sends = append(sends, graph.SendTo("work", map[string]int{"i": i}))
		}
		return sends, nil
	}, "work")
	n.path("work", "join", graph.End)
	res := r.run(n.compile(graph.Options{Parallel: limit}), "1")
	if n.sum.Get(res.State) != tasks || top != limit {
		t.Errorf("%d tasks, %d at once; want %d and %d", n.sum.Get(res.State), top, tasks, limit)
	}
	r.wantRuns("join", 1)
}

func fanOutSubgraphs(t *testing.T, r *rig) {
	inner := r.net()
	inner.node("one", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		return []graph.Write{inner.sum.Add(inner.last.Get(s))}, nil
	})
	inner.node("two", func(_ context.Context, s graph.State) ([]graph.Write, error) {
		return []graph.Write{inner.sum.Add(inner.sum.Get(s))}, nil
	})
	inner.line("one", "two")
	child := inner.compile(graph.Options{})
	n := r.net()
	n.Subgraph("sub", child, graph.Mapping{
		In: func(_ context.Context, s graph.State) ([]graph.Write, error) {
			i, err := graph.Arg[int](s)
			return []graph.Write{inner.last.Set(i)}, err
		},
		Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
			return []graph.Write{n.log.Add(strconv.Itoa(inner.sum.Get(s)))}, nil
		},
	}, graph.Policy{})
	n.node("join", nil)
	n.Branch(graph.Start, func(context.Context, graph.State) ([]graph.Send, error) {
		return []graph.Send{graph.SendTo("sub", 1), graph.SendTo("sub", 2), graph.SendTo("sub", 3)}, nil
	}, "sub")
	n.path("sub", "join", graph.End)
	res := r.run(n.compile(graph.Options{}), "1")
	n.wantLog(t, res.State, "2", "4", "6", "join")
	r.wantRuns("one", 3)
}

func joinLengths(t *testing.T, r *rig) {
	n := r.net()
	for _, name := range []string{"a", "b1", "b2", "b3", "join"} {
		n.node(name, nil)
	}
	n.path(graph.Start, "a")
	n.path(graph.Start, "b1", "b2", "b3")
	n.Join("join", "a", "b3")
	n.Edge("join", graph.End)
	res := r.run(n.compile(graph.Options{}), "1")
	n.wantLog(t, res.State, "a", "b1", "b2", "b3", "join")
	r.wantRuns("join", 1)
}

func joinRestart(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", nil)
	n.asker("b1")
	n.asker("b2")
	n.node("join", nil)
	n.path(graph.Start, "a")
	n.path(graph.Start, "b1", "b2")
	n.Join("join", "a", "b2")
	n.Edge("join", graph.End)
	p := n.compile(graph.Options{})
	res := r.run(p, "1")
	for range 2 {
		var err error
		res, err = r.answer(p, yes(wantWaiting(t, res, 1)[0]))
		must(t, err)
	}
	wantDone(t, res)
	n.wantLog(t, res.State, "a", `b1="yes"`, `b2="yes"`, "join")
	r.wantRuns("a", 1)
}

func severalTargets(t *testing.T, r *rig) {
	n := r.net()
	for _, name := range []string{"a", "b", "c", "d"} {
		n.node(name, nil)
	}
	n.Edge(graph.Start, "a")
	n.Branch("a", func(context.Context, graph.State) ([]graph.Send, error) { return graph.To("d", "b", "d"), nil }, "b", "c", "d")
	for _, name := range []string{"b", "c", "d"} {
		n.Edge(name, graph.End)
	}
	res := r.run(n.compile(graph.Options{}), "1")
	n.wantLog(t, res.State, "a", "d", "b")
	r.wantRuns("c", 0)
}

func subgraphOnce(t *testing.T, r *rig) {
	inner := r.net()
	inner.node("inside", nil)
	inner.line("inside")
	child := inner.compile(graph.Options{})
	n := r.net()
	fail := true
	n.Subgraph("sub", child, graph.Mapping{
		In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
			if fail {
				return nil, errors.New("the way out fails")
			}
			return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil
		},
	}, graph.Policy{})
	n.line("sub")
	p := n.compile(graph.Options{})
	if _, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"}); err == nil {
		t.Fatal("the error is lost")
	}
	fail = false
	n.wantLog(t, r.run(p, "1").State, "inside")
	r.wantRuns("inside", 1)
}

func nested(t *testing.T, r *rig) {
	leaf := r.net()
	leaf.asker("leaf")
	leaf.line("leaf")
	plan, from := leaf.compile(graph.Options{}), leaf
	for range 2 {
		outer, inner := r.net(), from
		outer.Subgraph("sub", plan, graph.Mapping{
			In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
			Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
				return []graph.Write{outer.log.Add(inner.log.Get(s)...)}, nil
			},
		}, graph.Policy{})
		outer.line("sub")
		plan, from = outer.compile(graph.Options{}), outer
	}
	in := wantWaiting(t, r.run(plan, "1"), 1)[0]
	if in.Node != "sub/sub/leaf" {
		t.Errorf("question of %q, want sub/sub/leaf", in.Node)
	}
	res, err := r.answer(plan, yes(in))
	must(t, err)
	wantDone(t, res)
	from.wantLog(t, res.State, `leaf="yes"`)
	must(t, r.runtime().Delete(t.Context(), r.thread))
}

func subgraphError(t *testing.T, r *rig) {
	inner := r.net()
	boom := errors.New("boom")
	inner.node("inside", func(context.Context, graph.State) ([]graph.Write, error) { return nil, boom })
	inner.line("inside")
	n := r.net()
	n.Subgraph("sub", inner.compile(graph.Options{}), graph.Mapping{
		In:  func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
	}, graph.Policy{})
	n.line("sub")
	_, err := r.runtime().Run(t.Context(), n.compile(graph.Options{}), graph.Call{Thread: r.thread, Turn: "1"})
	var ne *graph.NodeError
	if !errors.As(err, &ne) || ne.Node != "sub/inside" || !errors.Is(err, boom) {
		t.Fatalf("error %v, want sub/inside's", err)
	}
}

func badTarget(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", nil)
	n.node("b", nil)
	n.Edge(graph.Start, "a")
	n.Switch("a", func(graph.State) string { return "c" }, "b", graph.End)
	n.Edge("b", graph.End)
	_, err := r.runtime().Run(t.Context(), n.compile(graph.Options{}), graph.Call{Thread: r.thread, Turn: "1"})
	if err == nil || err.Error() != fmt.Sprintf("graph: node a, step 1: choose the next nodes: %q is not among the targets b, __end__", "c") {
		t.Fatalf("error %v", err)
	}
}
