package graph_test

import (
	"context"
	"testing"

	"maru/agent/graph"
)

// TestLocalReachesNodesAndRoutes: what a call gives is at hand in nodes, in the choice of what
// follows them and in sub-graphs, and belongs to that call alone.
func TestLocalReachesNodesAndRoutes(t *testing.T) {
	t.Parallel()
	s := graph.NewSchema()
	seen := graph.NewList(s, "seen", graph.PerThread, graph.String(), func(v string) string { return v })
	note := func(name string) graph.Node {
		return func(_ context.Context, st graph.State) ([]graph.Write, error) {
			said, _ := st.Local().(string) //nolint:errcheck // "" is what the test finds then
			return []graph.Write{seen.Add(name + " " + said)}, nil
		}
	}
	inner := graph.New("inner", s)
	inner.Node("deep", note("deep"), graph.Policy{})
	inner.Edge(graph.Start, "deep")
	inner.Edge("deep", graph.End)
	child, err := inner.Compile(graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := graph.New("outer", s)
	b.Node("first", note("first"), graph.Policy{})
	b.Subgraph("sub", child, graph.Mapping{
		In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(_ context.Context, in graph.State) ([]graph.Write, error) {
			return []graph.Write{seen.Add(seen.Get(in)...)}, nil
		},
	}, graph.Policy{})
	b.Edge(graph.Start, "first")
	b.Branch("first", func(_ context.Context, st graph.State) ([]graph.Send, error) {
		if st.Local() != "x" {
			return nil, nil
		}
		return graph.To("sub"), nil
	}, "sub")
	b.Edge("sub", graph.End)
	plan, err := b.Compile(graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := graph.NewRuntime(graph.Config{}).Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1", Local: "x"})
	if err != nil {
		t.Fatal(err)
	}
	got := seen.Get(res.State)
	if len(got) != 2 || got[0] != "first x" || got[1] != "deep x" {
		t.Errorf("seen %q", got)
	}
}
