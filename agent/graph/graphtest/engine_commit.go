package graphtest

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"maru/agent/graph"
)

func commitCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"grouped_steps_are_committed_by_number":      groupedByNumber,
		"durability_of_a_node":                       nodeDurability,
		"an_effect_finds_its_past_committed":         effectAfterCommit,
		"a_subgraph_finds_its_past_committed":        subgraphAfterCommit,
		"a_group_that_is_lost_runs_again":            lostGroup,
		"a_failing_commit_of_a_group_fails_the_run":  failingGroup,
		"tasks_of_a_node_are_capped":                 nodeCapped,
		"a_capped_node_does_not_hold_up_its_sibling": capAndSibling,
	}
}

// never is a lag that no test waits for.
const never = time.Hour

// witness adds a node that logs how long the log in the store is.
func (n net) witness(name string, p graph.Policy) {
	n.policy(name, p, func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		head, err := n.r.cp.Head(ctx, n.r.thread, "")
		return []graph.Write{n.log.Add(name + " " + strconv.FormatInt(head, 10))}, err
	})
}

func groupedByNumber(t *testing.T, r *rig) {
	n := r.net()
	for _, name := range []string{"a", "b", "c", "d"} {
		n.witness(name, graph.Policy{})
	}
	n.line("a", "b", "c", "d")
	p := n.compile(graph.Options{Durability: graph.Grouped, Group: 3, Lag: never})
	res := r.run(p, "1")
	n.wantLog(t, res.State, "a 0", "b 0", "c 3", "d 3")
	r.wantHead(res.Seq)
}

func (r *rig) wantHead(want int64) {
	r.t.Helper()
	head, err := r.cp.Head(r.t.Context(), r.thread, "")
	must(r.t, err)
	if head != want {
		r.t.Errorf("the log ends at %d, want %d", head, want)
	}
}

func nodeDurability(t *testing.T, r *rig) {
	for name, c := range map[string]struct {
		graph graph.Durability
		node  graph.Durability // of b
		want  []string
	}{
		"strict": {graph.AtExit, graph.Sync, []string{"a 0", "b 0", "c 3"}},
		"loose":  {graph.Sync, graph.Grouped, []string{"a 1", "b 2", "c 2"}},
	} {
		n := r.net()
		n.witness("a", graph.Policy{})
		n.witness("b", graph.Policy{Durability: c.node})
		n.witness("c", graph.Policy{})
		n.line("a", "b", "c")
		r.thread += name
		res := r.run(n.compile(graph.Options{Durability: c.graph, Lag: never}), "1")
		n.wantLog(t, res.State, c.want...)
		r.wantHead(4)
	}
}

// effectAfterCommit: the key of an effect comes from the records before it. If
// they could be lost, the same key could mean something else.
func effectAfterCommit(t *testing.T, r *rig) {
	for _, d := range []graph.Durability{graph.Grouped, graph.AtExit} {
		n := r.net()
		n.node("a", nil)
		n.node("pay", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
			head, err := graph.Repeatable(ctx, "pay", func(ctx context.Context, _ string) (int64, error) {
				return r.cp.Head(ctx, r.thread, "")
			})
			return []graph.Write{n.log.Add("paid at " + strconv.FormatInt(head, 10))}, err
		})
		n.line("a", "pay")
		r.thread += "x"
		res := r.run(n.compile(graph.Options{Durability: d, Lag: never}), "1")
		n.wantLog(t, res.State, "a", "paid at 2")
	}
}

func subgraphAfterCommit(t *testing.T, r *rig) {
	for _, d := range []graph.Durability{graph.Grouped, graph.AtExit} {
		inner := r.net()
		inner.witness("in", graph.Policy{})
		inner.line("in")
		n := r.net()
		n.node("a", nil)
		n.Subgraph("sub", inner.compile(graph.Options{}), graph.Mapping{
			In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
			Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
				return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil
			},
		}, graph.Policy{})
		n.line("a", "sub")
		r.thread += "x"
		res := r.run(n.compile(graph.Options{Durability: d, Lag: never}), "1")
		n.wantLog(t, res.State, "a", "in 2")
	}
}

// lostGroup: the process dies with steps that were not committed.
func lostGroup(t *testing.T, r *rig) {
	n := r.net()
	first := true
	for _, name := range []string{"a", "b", "c"} {
		n.node(name, func(context.Context, graph.State) ([]graph.Write, error) {
			if name == "c" && first {
				return nil, errors.New("dies")
			}
			return []graph.Write{n.log.Add(name)}, nil
		})
	}
	n.line("a", "b", "c")
	p := n.compile(graph.Options{Durability: graph.Grouped, Group: 2, Lag: never})
	good := r.config.Checkpointer
	r.config.Checkpointer = &failing{Checkpointer: good, after: 1} // the input and a, not b
	if _, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"}); !errors.Is(err, errDisk) {
		t.Fatalf("error %v, want the store's", err)
	}
	first = false
	r.kept, r.config.Checkpointer = nil, good
	r.wantHead(2)
	n.wantLog(t, r.run(p, "1").State, "a", "b", "c")
	r.wantRuns("a", 1)
	r.wantRuns("b", 2)
}

func failingGroup(t *testing.T, r *rig) {
	n := r.net()
	for i := range 6 {
		n.node("n"+strconv.Itoa(i), nil)
	}
	n.line("n0", "n1", "n2", "n3", "n4", "n5")
	p := n.compile(graph.Options{Durability: graph.Grouped, Group: 2, Lag: never})
	good := r.config.Checkpointer
	r.config.Checkpointer = &failing{Checkpointer: good, after: 1}
	res, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1"})
	if !errors.Is(err, errDisk) || res.Done {
		t.Fatalf("done %v, error %v, want the store's", res.Done, err)
	}
	r.wantRuns("n4", 0)
	r.kept, r.config.Checkpointer = nil, good
	n.wantLog(t, r.run(p, "1").State, "n0", "n1", "n2", "n3", "n4", "n5")
	r.wantRuns("n0", 1)
}

// gauge counts how many run at once.
type gauge struct {
	mu       sync.Mutex
	now, top int
}

func (g *gauge) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now++
	g.top = max(g.top, g.now)
}

func (g *gauge) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
}

// nodeCapped runs ten tasks of a node that takes two at once, and as many of
// one that takes all, which wait until two of the others have been seen.
func nodeCapped(t *testing.T, r *rig) {
	n := r.net()
	var slow, free gauge
	both := make(chan struct{})
	n.policy("slow", graph.Policy{Parallel: 2}, func(context.Context, graph.State) ([]graph.Write, error) {
		slow.enter()
		defer slow.leave()
		slow.mu.Lock()
		if slow.now == 2 {
			select {
			case <-both:
			default:
				close(both)
			}
		}
		slow.mu.Unlock()
		<-both
		return []graph.Write{n.sum.Add(1)}, nil
	})
	n.node("free", func(context.Context, graph.State) ([]graph.Write, error) {
		free.enter()
		defer free.leave()
		<-both
		return []graph.Write{n.sum.Add(100)}, nil
	})
	spread(n, 10, "slow", "free")
	res := r.run(n.compile(graph.Options{Parallel: 20}), "1")
	if got := n.sum.Get(res.State); got != 1010 {
		t.Errorf("sum %d, want every task once", got)
	}
	if slow.top != 2 {
		t.Errorf("%d tasks of the capped node ran at once, want 2", slow.top)
	}
}

// spread sends n tasks to each of these nodes.
func spread(n net, tasks int, nodes ...string) {
	n.Branch(graph.Start, func(context.Context, graph.State) ([]graph.Send, error) {
		var sends []graph.Send
		for i := range tasks {
			for _, name := range nodes {
				sends = append(sends, graph.SendTo(name, i))
			}
		}
		return sends, nil
	}, nodes...)
	for _, name := range nodes {
		n.Edge(name, graph.End)
	}
}

// capAndSibling: workers do not wait behind a node that has no room.
func capAndSibling(t *testing.T, r *rig) {
	n := r.net()
	var free sync.WaitGroup
	free.Add(3)
	n.policy("one", graph.Policy{Parallel: 1}, func(context.Context, graph.State) ([]graph.Write, error) {
		free.Wait() // all tasks of the other node run while the first of this one does
		return []graph.Write{n.sum.Add(1)}, nil
	})
	n.node("free", func(context.Context, graph.State) ([]graph.Write, error) {
		free.Done()
		return nil, nil
	})
	spread(n, 3, "one", "free")
	res := r.run(n.compile(graph.Options{Parallel: 2}), "1")
	if got := n.sum.Get(res.State); got != 3 {
		t.Errorf("sum %d, want 3", got)
	}
}
