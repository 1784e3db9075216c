package graphtest

import (
	"errors"
	"slices"
	"testing"

	"maru/agent/graph"
)

func editCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"edit_as_the_waiting_node_skips_it":         editWaiting,
		"edit_as_one_of_several_keeps_its_siblings": editSibling,
		"edit_as_a_node_goes_on_after_it":           editAfter,
		"edit_as_the_last_node_ends_the_turn":       editEnd,
		"edit_that_no_node_could_write_is_refused":  editBad,
	}
}

func (r *rig) edit(p *graph.Plan, as string, writes ...graph.Write) graph.Result {
	r.t.Helper()
	res, err := r.runtime().Edit(r.t.Context(), p, graph.Edit{Thread: r.thread, As: as, Writes: writes})
	must(r.t, err)
	return res
}

func editWaiting(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", nil)
	n.asker("ask")
	n.node("c", nil)
	n.line("a", "ask", "c")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	res := r.edit(p, "ask", n.log.Add("decided elsewhere"))
	if res.Done || len(res.Interrupts) != 0 {
		t.Fatalf("after the edit: %+v", res)
	}
	_, err := r.answer(p, yes(in))
	if !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Fatalf("answer to a question that was withdrawn: %v", err)
	}
	res = r.mustResume(p, "1")
	wantDone(t, res)
	n.wantLog(t, res.State, "a", "decided elsewhere", "c")
	r.wantRuns("ask", 1)
}

func editSibling(t *testing.T, r *rig) {
	n, p := fork(r)
	wantWaiting(t, r.run(p, "1"), 2)
	in := wantWaiting(t, r.edit(p, "x", n.log.Add("x by hand")), 1)[0]
	if in.Node != "y" {
		t.Fatalf("%s waits, want y", in.Node)
	}
	res, err := r.answer(p, yes(in))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, "x by hand", `y="yes"`, "join")
}

func editAfter(t *testing.T, r *rig) {
	n, p := steps3(r)
	wantDone(t, r.run(p, "1"))
	res := r.edit(p, "b", n.log.Add("again"))
	if res.Done {
		t.Fatal("the turn is over although c follows b")
	}
	entries, err := r.runtime().History(t.Context(), r.thread, res.Seq, 0, 0)
	must(t, err)
	if e := entries[0]; e.Kind != graph.RecordUpdate || !slices.Equal(e.Next, []string{"c"}) || !slices.Equal(e.Channels, []string{"log"}) {
		t.Errorf("entry %+v", e)
	}
	res = r.mustResume(p, "1")
	wantDone(t, res)
	n.wantLog(t, res.State, "a", "b", "c", "again", "c")
}

func editEnd(t *testing.T, r *rig) {
	n := r.net()
	n.asker("ask")
	n.node("last", nil)
	n.line("ask", "last")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	res := r.edit(p, "last", n.log.Add("given up"))
	wantDone(t, res)
	peek, err := r.runtime().Peek(t.Context(), p, r.thread)
	must(t, err)
	wantDone(t, peek)
	n.wantLog(t, peek.State, "given up")
	if _, err := r.answer(p, yes(in)); !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Errorf("answer after the end: %v", err)
	}
	r.run(p, "2")
}

func editBad(t *testing.T, r *rig) {
	n := r.net()
	n.policy("a", graph.Policy{Writes: []string{"log"}}, nil)
	n.line("a")
	p := n.compile(graph.Options{})
	edit := func(as string, w graph.Write) error {
		_, err := r.runtime().Edit(t.Context(), p, graph.Edit{Thread: r.thread, As: as, Writes: []graph.Write{w}})
		return err
	}
	if err := edit("a", n.log.Add("x")); !errors.Is(err, graph.ErrNothingToResume) {
		t.Errorf("edit as a node where no turn has begun: %v", err)
	}
	res := r.run(p, "1")
	for _, as := range []string{"none", graph.Start, graph.End} {
		if err := edit(as, n.log.Add("x")); err == nil {
			t.Errorf("edit as node %q", as)
		}
	}
	if err := edit("a", n.sum.Add(1)); err == nil {
		t.Error("edit of a channel that the node does not write")
	}
	if err := edit("", newBoard().sum.Add(1)); err == nil {
		t.Error("edit of another schema's channel")
	}
	if again := r.run(p, "1"); again.Seq != res.Seq {
		t.Errorf("refused edits were written: %d, was %d", again.Seq, res.Seq)
	}
}
