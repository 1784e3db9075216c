package graphtest

import (
	"context"
	"strconv"
	"testing"
	"time"

	"maru/agent/graph"
)

func retainCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"retain_keeps_a_number_of_records":             retainRecords,
		"retain_keeps_records_for_their_age":           retainAge,
		"retain_removes_finished_visits_of_subgraphs":  retainVisits,
		"retain_keeps_the_visit_that_waits":            retainWaiting,
		"retain_without_dropping_leaves_a_small_stone": retainStone,
	}
}

// nestedGraph returns a node, a sub-graph within a sub-graph, and a node.
func nestedGraph(r *rig, ask bool) (net, *graph.Plan) {
	pass := func(from, to net) graph.Mapping {
		return graph.Mapping{
			In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
			Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
				return []graph.Write{to.log.Add(from.log.Get(s)...)}, nil
			},
		}
	}
	deep, mid, n := r.net(), r.net(), r.net()
	deep.node("d1", nil)
	if ask {
		deep.asker("d2")
	} else {
		deep.node("d2", nil)
	}
	deep.line("d1", "d2")
	mid.Subgraph("deep", deep.compile(graph.Options{}), pass(deep, mid), graph.Policy{})
	mid.node("m", nil)
	mid.line("deep", "m")
	n.node("a", nil)
	n.Subgraph("sub", mid.compile(graph.Options{}), pass(mid, n), graph.Policy{})
	n.node("z", nil)
	n.line("a", "sub", "z")
	return n, n.compile(graph.Options{})
}

func retainRecords(t *testing.T, r *rig) {
	n, p := talk(r)
	for i := range 5 {
		r.run(p, strconv.Itoa(i), n.last.Set(i))
	}
	must(t, r.runtime().Retain(t.Context(), p, r.thread, 0, graph.Retention{Records: 3}))
	entries, err := r.runtime().History(t.Context(), r.thread, 1, 0, 0)
	must(t, err)
	if len(entries) != 4 || entries[3].Kind != graph.RecordSnapshot || entries[0].Seq != 8 {
		t.Fatalf("%+v", entries)
	}
}

func retainAge(t *testing.T, r *rig) {
	n, p := talk(r)
	for i := range 4 {
		r.at(noon.Add(time.Duration(i) * time.Hour))
		r.run(p, strconv.Itoa(i), n.last.Set(i))
	}
	r.at(noon.Add(4 * time.Hour))
	must(t, r.runtime().Retain(t.Context(), p, r.thread, 0, graph.Retention{Age: 150 * time.Minute, Records: 1}))
	entries, err := r.runtime().History(t.Context(), r.thread, 1, 0, 0)
	must(t, err)
	if len(entries) != 5 || entries[0].Turn != "2" { // turns 2 and 3 with two records each, and the snapshot
		t.Fatalf("%+v", entries)
	}
	must(t, r.runtime().Retain(t.Context(), p, r.thread, 0, graph.Retention{Age: time.Minute}))
	entries, err = r.runtime().History(t.Context(), r.thread, 1, 0, 0)
	must(t, err)
	if len(entries) != 1 {
		t.Fatalf("%+v", entries)
	}
	n.wantLog(t, r.run(p, "4", n.last.Set(4)).State, "re 0", "re 1", "re 2", "re 3", "re 4")
}

const subVisit, deepVisit = "sub:2.0", "sub:2.0/deep:1.0"

func (r *rig) wantRecords(ns string, want int) {
	r.t.Helper()
	all, err := r.cp.History(r.t.Context(), r.thread, ns, 1, 1<<40, 0)
	must(r.t, err)
	if len(all) != want {
		r.t.Errorf("%d records in %q, want %d", len(all), ns, want)
	}
}

func retainVisits(t *testing.T, r *rig) {
	_, ok := r.cp.(graph.NamespaceDropper)
	left := 0
	if !ok {
		left = 1
	}
	n, p := nestedGraph(r, false)
	r.run(p, "1")
	r.wantRecords(subVisit, 3)
	r.wantRecords(deepVisit, 3)
	for range 2 {
		must(t, r.runtime().Compact(t.Context(), p, r.thread, 0))
		r.wantRecords("", 1)
		r.wantRecords(subVisit, left)
		r.wantRecords(deepVisit, left)
	}
	n.wantLog(t, r.run(p, "2").State, "a", "d1", "d2", "m", "z", "a", "d1", "d2", "m", "z")
}

func retainWaiting(t *testing.T, r *rig) {
	n, p := nestedGraph(r, true)
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	must(t, r.runtime().Compact(t.Context(), p, r.thread, 0))
	r.wantRecords(deepVisit, 3)
	res, err := r.answer(p, yes(in))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, "a", "d1", `d2="yes"`, "m", "z")
	r.wantRuns("d1", 1)
}

// plain hides the optional interfaces of a checkpointer.
type plain struct{ graph.Checkpointer }

func retainStone(t *testing.T, r *rig) {
	r.config.Checkpointer = plain{r.cp}
	n, p := nestedGraph(r, false)
	r.run(p, "1")
	for range 2 {
		must(t, r.runtime().Compact(t.Context(), p, r.thread, 0))
		for _, ns := range []string{subVisit, deepVisit} {
			r.wantRecords(ns, 1)
		}
	}
	n.wantLog(t, r.run(p, "2").State, "a", "d1", "d2", "m", "z", "a", "d1", "d2", "m", "z")
}
