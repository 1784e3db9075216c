package graphtest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"maru/agent/graph"
)

func forkCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"fork_to_a_new_thread_runs_from_there":  forkAway,
		"redo_from_a_step_on_the_thread_itself": redo,
		"redo_within_a_step_begins_it_again":    redoWithin,
		"redo_asks_and_acts_anew":               redoAsks,
		"fork_of_a_finished_turn_takes_another": forkFinished,
		"fork_with_a_changed_state":             forkEdited,
		"fork_with_writes_routes_by_them":       forkWrites,
		"fork_with_a_bad_write_changes_nothing": forkBadWrite,
		"fork_onto_another_history_is_refused":  forkConflict,
		"fork_under_another_plan_is_refused":    forkPlan,
		"fork_keeps_joins_that_wait":            forkJoin,
	}
}

// steps3 returns a line of three nodes, each logging its name.
func steps3(r *rig) (net, *graph.Plan) {
	n := r.net()
	for _, name := range []string{"a", "b", "c"} {
		n.node(name, nil)
	}
	n.line("a", "b", "c")
	return n, n.compile(graph.Options{})
}

func (r *rig) fork(p *graph.Plan, f graph.Fork) graph.Result {
	r.t.Helper()
	f.Thread = cmp.Or(f.Thread, r.thread)
	res, err := r.runtime().Fork(r.t.Context(), p, f)
	must(r.t, err)
	return res
}

func forkAway(t *testing.T, r *rig) {
	n, p := steps3(r)
	whole := r.run(p, "1", n.log.Add("in"))
	branch := r.thread + "-branch"
	res := r.fork(p, graph.Fork{Seq: 3, To: branch}) // input, a, b
	if res.Done || res.Seq != 1 || res.Turn != "1" || res.Steps != 2 {
		t.Fatalf("fork: %+v", res)
	}
	n.wantLog(t, res.State, "in", "a", "b")
	res, err := r.runtime().Resume(t.Context(), p, graph.Call{Thread: branch})
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, "in", "a", "b", "c")
	r.wantRuns("a", 1)
	r.wantRuns("c", 2)
	old, err := r.runtime().Peek(t.Context(), p, r.thread)
	must(t, err)
	if old.Seq != whole.Seq {
		t.Errorf("the history that was forked ends at %d, was %d", old.Seq, whole.Seq)
	}
	entries, err := r.runtime().History(t.Context(), branch, 1, 0, 0)
	must(t, err)
	if from := entries[0].From; from == nil || *from != (graph.Origin{Thread: r.thread, Seq: 3}) {
		t.Errorf("the branch comes from %v", from)
	}
}

func redo(t *testing.T, r *rig) {
	n, p := steps3(r)
	r.run(p, "1", n.log.Add("in"))
	r.run(p, "2", n.log.Add("in2"))
	res := r.fork(p, graph.Fork{Seq: 2}) // after a of turn 1
	n.wantLog(t, res.State, "in", "a")
	if res.Done || res.Turn != "1" {
		t.Fatalf("redo: %+v", res)
	}
	res, err := r.runtime().Resume(t.Context(), p, graph.Call{Thread: r.thread})
	must(t, err)
	n.wantLog(t, res.State, "in", "a", "b", "c")
	r.wantRuns("a", 2)
	r.wantRuns("b", 3)
	if again := r.run(p, "1"); again.Seq != res.Seq {
		t.Errorf("the turn that was redone runs again")
	}
	if _, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "2"}); !errors.Is(err, graph.ErrTurnPassed) {
		t.Errorf("the turn after the one that was redone: %v", err)
	}
	st, err := r.runtime().StateAt(t.Context(), p, r.thread, 8) // both turns as they were
	must(t, err)
	n.wantLog(t, st, "in", "a", "b", "c", "in2", "a", "b", "c")
	n.wantLog(t, r.run(p, "3").State, "in", "a", "b", "c", "a", "b", "c")
}

func redoWithin(t *testing.T, r *rig) {
	n, p := fork(r)
	ins := wantWaiting(t, r.run(p, "1"), 2)
	res, err := r.answer(p, yes(ins[0]), yes(ins[1]))
	must(t, err)
	wantDone(t, res)
	again := wantWaiting(t, r.mustResume(p, r.fork(p, graph.Fork{Seq: 2, Turn: "redo"}).Turn), 2) // 2: the questions
	if again[0].ID == ins[0].ID {
		t.Fatal("the question of the branch has the id of the old one")
	}
	res, err = r.answer(p, yes(ins[0]))
	must(t, err)
	if len(res.Outcomes) != 1 || !res.Outcomes[0].Duplicate {
		t.Errorf("an old answer on the branch: %+v", res.Outcomes)
	}
	res, err = r.answer(p, yes(again[1]), yes(again[0]))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, `x="yes"`, `y="yes"`, "join")
}

func (r *rig) mustResume(p *graph.Plan, turn string) graph.Result {
	r.t.Helper()
	res, err := r.runtime().Resume(r.t.Context(), p, graph.Call{Thread: r.thread})
	must(r.t, err)
	if res.Turn != turn {
		r.t.Errorf("turn %q goes on, want %q", res.Turn, turn)
	}
	return res
}

func redoAsks(t *testing.T, r *rig) {
	n := r.net()
	keys := map[string]bool{}
	n.node("act", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		_, err := graph.Once(ctx, "pay", func(_ context.Context, key string) (int, error) {
			r.count("pay")
			keys[key] = true
			return 1, nil
		})
		return []graph.Write{n.sum.Add(1)}, err
	})
	n.line("act")
	p := n.compile(graph.Options{})
	r.run(p, "1")
	r.fork(p, graph.Fork{Seq: 1})
	res := r.mustResume(p, "1")
	r.wantRuns("pay", 2)
	if len(keys) != 2 || n.sum.Get(res.State) != 1 {
		t.Errorf("%d keys, sum %d", len(keys), n.sum.Get(res.State))
	}
}

func forkFinished(t *testing.T, r *rig) {
	n, p := talk(r)
	first := r.run(p, "1", n.last.Set(1))
	r.run(p, "2", n.last.Set(2))
	res := r.fork(p, graph.Fork{Seq: first.Seq})
	wantDone(t, res)
	if _, err := r.runtime().Resume(t.Context(), p, graph.Call{Thread: r.thread}); !errors.Is(err, graph.ErrNothingToResume) {
		t.Fatalf("resume of a finished turn: %v", err)
	}
	n.wantLog(t, r.run(p, "3", n.last.Set(3)).State, "re 1", "re 3")
}

func forkEdited(t *testing.T, r *rig) {
	n, p := steps3(r)
	r.run(p, "1")
	branch := r.thread + "-b"
	res := r.fork(p, graph.Fork{Seq: 1, To: branch, Turn: "x", As: "b", Writes: []graph.Write{n.log.Add("said")}})
	n.wantLog(t, res.State, "said")
	res, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: branch, Turn: "x"})
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, "said", "c")
}

// forkWrites forks on the thread itself: the branch's routes read the writes, restarts keep them, and the old records
// stay in the history. A node's declared writes bind only the node.
func forkWrites(t *testing.T, r *rig) {
	n := r.net()
	n.policy("a", graph.Policy{Writes: []string{"log"}}, nil)
	n.node("low", nil)
	n.node("high", nil)
	n.Edge(graph.Start, "a")
	n.Switch("a", func(s graph.State) string {
		if n.sum.Get(s) > 5 {
			return "high"
		}
		return "low"
	}, "low", "high")
	n.Edge("low", graph.End)
	n.Edge("high", graph.End)
	p := n.compile(graph.Options{})
	whole := r.run(p, "1", n.log.Add("in"), n.sum.Add(2))
	n.wantLog(t, whole.State, "in", "a", "low")

	res := r.fork(p, graph.Fork{Seq: 1, As: "a", Turn: "again", Writes: []graph.Write{n.sum.Add(4), n.last.Set(7), n.log.Add("said")}})
	if n.sum.Get(res.State) != 6 || n.last.Get(res.State) != 7 || res.Done || res.Turn != "again" {
		t.Fatalf("sum %d, last %d: %+v", n.sum.Get(res.State), n.last.Get(res.State), res)
	}
	at, err := r.runtime().Peek(t.Context(), p, r.thread)
	must(t, err)
	if n.sum.Get(at.State) != 6 || n.last.Get(at.State) != 7 {
		t.Errorf("after a restart: sum %d, last %d", n.sum.Get(at.State), n.last.Get(at.State))
	}
	res = r.mustResume(p, "again")
	wantDone(t, res)
	n.wantLog(t, res.State, "in", "said", "high")
	r.wantRuns("a", 1)
	r.wantRuns("low", 1)
	then, err := r.runtime().StateAt(t.Context(), p, r.thread, whole.Seq)
	must(t, err)
	n.wantLog(t, then, "in", "a", "low")
	if n.sum.Get(then) != 2 {
		t.Errorf("the sum of what was before is %d now", n.sum.Get(then))
	}
}

func forkBadWrite(t *testing.T, r *rig) {
	n, p := steps3(r)
	whole := r.run(p, "1")
	for name, to := range map[string]string{"itself": "", "another": r.thread + "-other"} {
		_, err := r.runtime().Fork(t.Context(), p, graph.Fork{
			Thread: r.thread, Seq: 2, To: to, Writes: []graph.Write{n.log.Add("good"), newBoard().sum.Add(1)},
		})
		if err == nil {
			t.Errorf("%s: a fork that writes another schema's channel", name)
		}
	}
	if again := r.run(p, "1"); again.Seq != whole.Seq || !again.Done {
		t.Errorf("the refused fork left %+v", again)
	}
	n.wantLog(t, r.run(p, "2").State, "a", "b", "c", "a", "b", "c")
	at, err := r.runtime().Peek(t.Context(), p, r.thread+"-other")
	must(t, err)
	if at.Seq != 0 {
		t.Errorf("the refused fork began a thread at %d", at.Seq)
	}
}

func forkConflict(t *testing.T, r *rig) {
	_, p := steps3(r)
	r.run(p, "1")
	_, err := r.runtime().Fork(t.Context(), p, graph.Fork{Thread: r.thread, Seq: 99})
	if err == nil {
		t.Error("a fork at a record that does not exist")
	}
	other := r.thread + "-other"
	_, err = r.runtime().Run(t.Context(), p, graph.Call{Thread: other, Turn: "1"})
	must(t, err)
	_, err = r.runtime().Fork(t.Context(), p, graph.Fork{Thread: r.thread, Seq: 2, To: other})
	if !errors.Is(err, graph.ErrConflict) {
		t.Errorf("fork onto a thread with a history: %v", err)
	}
	r.run(p, "2")
	_, err = r.runtime().Fork(t.Context(), p, graph.Fork{Thread: r.thread, Seq: 6, Turn: "1"})
	if !errors.Is(err, graph.ErrTurnPassed) {
		t.Errorf("fork under the id of a former turn: %v", err)
	}
}

func forkPlan(t *testing.T, r *rig) {
	_, p := steps3(r)
	r.run(p, "1")
	n := r.net()
	n.node("a", nil)
	n.node("b", nil)
	n.line("a", "b")
	changed := n.compile(graph.Options{})
	_, err := r.runtime().Fork(t.Context(), changed, graph.Fork{Thread: r.thread, Seq: 2})
	if !errors.Is(err, graph.ErrPlanChanged) {
		t.Fatalf("fork of an unfinished turn under another plan: %v", err)
	}
	wantDone(t, r.fork(changed, graph.Fork{Seq: 4}))
}

func forkJoin(t *testing.T, r *rig) {
	n := r.net()
	for _, name := range []string{"x", "y1", "y2", "join"} {
		n.node(name, nil)
	}
	n.path(graph.Start, "x")
	n.path(graph.Start, "y1", "y2")
	n.Join("join", "x", "y2")
	n.Edge("join", graph.End)
	p := n.compile(graph.Options{})
	r.run(p, "1")
	entries, err := r.runtime().History(t.Context(), r.thread, 1, 0, 0)
	must(t, err)
	first := slices.IndexFunc(entries, func(e graph.Entry) bool { return e.Kind == graph.RecordStep })
	r.fork(p, graph.Fork{Seq: entries[first].Seq}) // x has run, y2 is next
	res := r.mustResume(p, "1")
	wantDone(t, res)
	n.wantLog(t, res.State, "x", "y1", "y2", "join")
	r.wantRuns("x", 1)
	r.wantRuns("join", 2)
}
