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
		"changed_plan_is_refused_or_accepted":       changedPlan,
		"unknown_channel_in_the_log_is_an_error":    unknownChannel,
		"changed_schema_is_migrated_or_refused":     changedSchema,
		"changed_subgraph_is_refused_before_a_node": changedSubgraph,
		"broken_turn_begins_anew_where_it_may":      brokenTurnAnew,
		"waiting_turn_never_begins_anew":            waitingTurnAnew,
	}
}

// noteCodec stores a text; version 2 wraps the value of version 1.
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

// workPlan returns a plan that thinks, works and then runs one more node.
func (r *rig) workPlan(work func(n net, name string), then ...string) (net, *graph.Plan) {
	n := r.net()
	n.node("think", nil)
	work(n, "work")
	for _, name := range then {
		n.node(name, nil)
	}
	n.line(append([]string{"think", "work"}, then...)...)
	return n, n.compile(graph.Options{})
}

// brokenTurnAnew: a turn is broken off, and the program that goes on with it
// has another plan.
func brokenTurnAnew(t *testing.T, r *rig) {
	call := func(n net, p *graph.Plan, anew bool) (graph.Result, error) {
		return r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "1", Anew: anew, Input: []graph.Write{n.log.Add("input")}})
	}
	before, old := r.workPlan(func(n net, name string) {
		n.node(name, func(context.Context, graph.State) ([]graph.Write, error) {
			return nil, errors.New("the program ends here")
		})
	})
	if _, err := call(before, old, true); err == nil {
		t.Fatal("want an error")
	}
	n, changed := r.workPlan(func(n net, name string) { n.node(name, nil) }, "more")
	if _, err := call(n, changed, false); !errors.Is(err, graph.ErrPlanChanged) {
		t.Fatalf("a turn under another plan: %v", err)
	}
	r.wantRuns("think", 1)
	for range 2 { // the second time it is over
		res, err := call(n, changed, true)
		must(t, err)
		wantDone(t, res)
		n.wantLog(t, res.State, "input", "think", "input", "think", "work", "more") // the thread's state stays
	}
	r.wantRuns("think", 2)
	r.wantRuns("more", 1)
}

// waitingTurnAnew: the turn has asked people, so its work is kept.
func waitingTurnAnew(t *testing.T, r *rig) {
	_, old := r.workPlan(net.asker)
	wantWaiting(t, r.run(old, "1"), 1)
	_, changed := r.workPlan(net.asker, "more")
	_, err := r.runtime().Run(t.Context(), changed, graph.Call{Thread: r.thread, Turn: "1", Anew: true})
	if !errors.Is(err, graph.ErrPlanChanged) {
		t.Fatalf("a waiting turn begins anew: %v", err)
	}
	r.wantRuns("think", 1)
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
			In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
			Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
				return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil
			},
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
