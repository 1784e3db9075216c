package graph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/graph"
)

// TestGroupIsCommittedWhileANodeRuns: what waits is never older than the lag,
// however long the next node takes.
func TestGroupIsCommittedWhileANodeRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := graph.NewMemory()
		head := func(ctx context.Context) int64 {
			n, err := log.Head(ctx, "t", "")
			if err != nil {
				t.Error(err)
			}
			return n
		}
		b := graph.New("g", graph.NewSchema())
		b.Node("quick", nothing, graph.Policy{})
		var before, after int64
		b.Node("slow", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
			time.Sleep(80 * time.Millisecond)
			before = head(ctx)
			time.Sleep(40 * time.Millisecond)
			after = head(ctx)
			return nil, nil
		}, graph.Policy{})
		b.Edge(graph.Start, "quick")
		b.Edge("quick", "slow")
		b.Edge("slow", graph.End)
		p, err := b.Compile(graph.Options{Durability: graph.Grouped, Lag: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := graph.NewRuntime(graph.Config{Checkpointer: log}).Run(t.Context(), p, graph.Call{Thread: "t", Turn: "1"}); err != nil {
			t.Fatal(err)
		}
		if before != 0 || after != 2 {
			t.Errorf("the log had %d records before the lag and %d after it, want 0 and 2", before, after)
		}
		synctest.Wait() // nothing of the run is left
	})
}

func TestCompileChecksExpiryAndPolicies(t *testing.T) {
	t.Parallel()
	build := func() *graph.Builder {
		b := graph.New("g", graph.NewSchema())
		b.Node("ask", nothing, graph.Policy{})
		b.Node("late", nothing, graph.Policy{})
		b.Edge(graph.Start, "ask")
		b.Edge("ask", graph.End)
		b.Edge("late", graph.End)
		b.OnExpiry("ask", "late")
		return b
	}
	p, err := build().Compile(graph.Options{})
	if err != nil {
		t.Fatal(err) // late is reached over the on-expiry edge only
	}
	if !strings.Contains(p.Mermaid(), "n1 -. expired .-> n2") {
		t.Errorf("the drawing lacks the on-expiry edge:\n%s", p.Mermaid())
	}
	b := build()
	b.Node("sub", nothing, graph.Policy{Parallel: -1, Durability: 9})
	b.Subgraph("nest", p, graph.Mapping{
		In:  func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
	}, graph.Policy{})
	b.OnExpiry("nest", "late")
	b.OnExpiry("ask", "sub")
	b.OnExpiry(graph.Start, "sub")
	b.OnExpiry("gone", "sub")
	b.OnExpiry("sub", "nowhere")
	_, err = b.Compile(graph.Options{Lag: -1, Durability: -1})
	var ce *graph.CompileError
	if !errors.As(err, &ce) {
		t.Fatalf("error %v, want a CompileError", err)
	}
	for _, want := range []string{
		`two on-expiry edges`, `the start asks nothing`, `on-expiry edge from unknown node "gone"`, `unknown node "nowhere"`,
		`put the on-expiry edge on the node within`, `Parallel is -1`, `Durability is 9`, `Durability is -1`, `Lag is -1ns`,
	} {
		if !slices.ContainsFunc(ce.Problems, func(p string) bool { return strings.Contains(p, want) }) {
			t.Errorf("no problem says %q: %q", want, ce.Problems)
		}
	}
}
