package graph_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/graph"
)

func nothing(context.Context, graph.State) ([]graph.Write, error) { return nil, nil }

func TestCompileReportsEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	s := graph.NewSchema()
	graph.NewLast(s, "answer", graph.PerTurn, graph.String())
	graph.NewLast(s, "answer", graph.PerTurn, graph.String())
	graph.NewLast(s, "bad name", graph.PerTurn, graph.Int())
	graph.NewLast(s, "loose", graph.PerTurn, graph.JSON[struct{ V any }]("loose", 1))
	graph.NewLast(s, "hidden", graph.PerTurn, graph.JSON[struct{ v int }]("hidden", 1))
	graph.NewKeyed[string](s, "keyless", graph.PerTurn, graph.String(), nil)
	b := graph.New("bad", s)
	b.Node("router", nothing, graph.Policy{Writes: []string{"nope"}})
	b.Node("router", nothing, graph.Policy{})
	b.Node("__end__", nothing, graph.Policy{})
	b.Node("empty", nil, graph.Policy{})
	b.Node("left", nothing, graph.Policy{Writes: []string{"answer"}})
	b.Node("right", nothing, graph.Policy{Writes: []string{"answer"}})
	b.Node("island", nothing, graph.Policy{})
	b.Node("ring1", nothing, graph.Policy{})
	b.Node("ring2", nothing, graph.Policy{})
	b.Edge(graph.Start, "router")
	b.Edge("router", "left")
	b.Edge("router", "right")
	b.Edge("router", "ring1")
	b.Edge("ring1", "ring2")
	b.Edge("ring2", "ring1")
	b.Edge("left", "rihgt")
	b.Edge("left", graph.Start)
	b.Edge("nowhere", "left")
	b.Edge("right", graph.End)
	b.Edge("island", graph.End)
	b.Switch("empty", nil)
	b.Join("left", "left", "left", "gone")
	_, err := b.Compile(graph.Options{MaxSteps: -1})
	var ce *graph.CompileError
	if !errors.As(err, &ce) {
		t.Fatalf("error %v, want a CompileError", err)
	}
	for _, want := range []string{
		`channel "answer" is declared twice`,
		`channel name "bad name"`,
		`channel "loose": codec "loose"`,
		`.v is unexported and would be lost`,
		`channel "keyless": NewKeyed needs a key function`,
		`node "router" is declared twice`,
		`node name "__end__"`,
		`node "empty" has no function`,
		`node "router" writes unknown channel "nope"`,
		`edge from "left" leads to unknown node "rihgt": did you mean "right"?`,
		`edge from "left" leads back to the start`,
		`edge from unknown node "nowhere"`,
		`node "island" cannot be reached from the start`,
		`node "ring1" cannot reach the end`,
		`branch from "empty" needs a function and its possible targets`,
		`node "empty" has no edge out of it`,
		`nodes left, right run side by side after "router" and all write channel "answer"`,
		`join into "left" names "left" twice`,
		`join into "left" waits for unknown node "gone"`,
		`MaxSteps is -1`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not reported: %s", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

func small(t *testing.T, more func(*graph.Builder)) *graph.Plan {
	t.Helper()
	b := graph.New("small", graph.NewSchema())
	b.Node("a", nothing, graph.Policy{})
	b.Node("b", nothing, graph.Policy{})
	b.Edge(graph.Start, "a")
	b.Edge("b", graph.End)
	more(b)
	p, err := b.Compile(graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHashChangesWithThePlanOnly(t *testing.T) {
	t.Parallel()
	line := func(b *graph.Builder) { b.Edge("a", "b") }
	one, two := small(t, line), small(t, line)
	if one.Hash() != two.Hash() {
		t.Error("the same graph has two hashes")
	}
	other := small(t, func(b *graph.Builder) {
		b.Switch("a", func(graph.State) string { return "b" }, "b", graph.End)
	})
	if one.Hash() == other.Hash() {
		t.Error("another graph has the same hash")
	}
	if o := one.Options(); o.MaxSteps != graph.DefaultMaxSteps || o.Parallel != graph.DefaultParallel {
		t.Errorf("defaults %+v", o)
	}
}

func TestMermaid(t *testing.T) {
	t.Parallel()
	inner := small(t, func(b *graph.Builder) { b.Edge("a", "b") })
	plan := small(t, func(b *graph.Builder) {
		b.Subgraph("nested", inner, graph.Mapping{
			In:  func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
			Out: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
		}, graph.Policy{})
		b.Node("gather", nothing, graph.Policy{})
		b.Switch("a", func(graph.State) string { return "b" }, "b", "nested", graph.End)
		b.Edge("nested", graph.End)
		b.Join("gather", "a", "nested")
		b.Edge("gather", graph.End)
	})
	file := filepath.Join("testdata", "plan.golden.mmd")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Mermaid(); got != string(want) {
		t.Errorf("drawing differs from %s:\n%s", file, got)
	}
}
