package graphtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"maru/agent/graph"
)

func planCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"changed_schema_is_migrated_or_refused":     changedSchema,
		"changed_subgraph_is_refused_before_a_node": changedSubgraph,
	}
}

// noteCodec keeps a text; version 2 wraps what version 1 kept.
func noteCodec(version int, upcast bool) graph.Codec[string] {
	c := graph.Codec[string]{
		Name: "note", Version: version,
		Encode: func(dst []byte, v string) ([]byte, error) { return fmt.Appendf(dst, "%q", v), nil },
		Decode: func(raw []byte) (v string, err error) { return v, json.Unmarshal(raw, &v) },
	}
	if upcast {
		c.Upcast = func(_ int, raw []byte) ([]byte, error) {
			var v string
			err := json.Unmarshal(raw, &v)
			return fmt.Appendf(nil, "%q", "["+v+"]"), err
		}
	}
	return c
}

// changedSchema: the turn waits, and the program that answers keeps the channel
// in another version.
func changedSchema(t *testing.T, r *rig) {
	build := func(version int, upcast bool, accept ...string) (graph.Chan[string], *graph.Plan) {
		s := graph.NewSchema()
		note := graph.NewLast(s, "note", graph.PerThread, noteCodec(version, upcast))
		b := graph.New("case", s)
		b.Node("ask", func(ctx context.Context, s graph.State) ([]graph.Write, error) {
			r.count("ask")
			a, err := graph.Ask(ctx, graph.Question{})
			return []graph.Write{note.Set(note.Get(s) + string(a.Value))}, err
		}, graph.Policy{})
		b.Edge(graph.Start, "ask")
		b.Edge("ask", graph.End)
		p, err := b.Compile(graph.Options{Accept: accept})
		must(t, err)
		return note, p
	}
	note, old := build(1, false)
	in := wantWaiting(t, r.run(old, "1", note.Set("x")), 1)[0]
	_, strange := build(2, false, old.Hash())
	if _, err := r.answer(strange, yes(in)); !errors.Is(err, graph.ErrCorrupt) {
		t.Fatalf("a version that nobody can read: %v", err)
	}
	_, undeclared := build(2, true)
	if _, err := r.answer(undeclared, yes(in)); !errors.Is(err, graph.ErrPlanChanged) {
		t.Fatalf("a plan that nobody declared: %v", err)
	}
	r.wantRuns("ask", 1)
	note, migrated := build(2, true, old.Hash())
	res, err := r.answer(migrated, yes(in))
	must(t, err)
	wantDone(t, res)
	if got := note.Get(res.State); got != `[x]"yes"` {
		t.Errorf("note %q", got)
	}
	if _, err := r.runtime().Peek(t.Context(), old, r.thread); !errors.Is(err, graph.ErrCorrupt) {
		t.Errorf("an older program reads what a newer one wrote: %v", err)
	}
}

func changedSubgraph(t *testing.T, r *rig) {
	build := func(extra bool) *graph.Plan {
		inner := r.net()
		inner.asker("ask")
		if extra {
			inner.node("more", nil)
			inner.line("ask", "more")
		} else {
			inner.line("ask")
		}
		n := r.net()
		n.Subgraph("sub", inner.compile(graph.Options{}), graph.Mapping{
			In:  func(graph.State) ([]graph.Write, error) { return nil, nil },
			Out: func(s graph.State) ([]graph.Write, error) { return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil },
		}, graph.Policy{})
		n.line("sub")
		return n.compile(graph.Options{})
	}
	in := wantWaiting(t, r.run(build(false), "1"), 1)[0]
	if _, err := r.answer(build(true), yes(in)); !errors.Is(err, graph.ErrPlanChanged) {
		t.Fatalf("answer under a changed sub-graph: %v", err)
	}
	r.wantRuns("ask", 1)
	r.wantRuns("more", 0)
	res, err := r.answer(build(false), yes(in))
	must(t, err)
	wantDone(t, res)
}
