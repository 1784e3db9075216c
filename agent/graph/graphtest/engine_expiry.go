package graphtest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"maru/agent/graph"
)

func expiryCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"expiry_takes_its_edge_and_not_the_node":    expiryEdge,
		"expiry_withdraws_the_nodes_other_question": expiryWithdraws,
		"expiry_of_one_branch_leaves_the_other":     expiryBranch,
		"expiry_within_a_subgraph":                  expiryInside,
		"an_answer_after_the_deadline_is_refused":   lateAnswer,
		"an_answer_given_in_time_may_arrive_late":   answerUnderway,
		"expire_before_the_deadline_runs_nothing":   expireEarly,
		"time_counts_from_the_first_question":       expiryWithin,
	}
}

// deadline adds a node that asks questions which expire at noon.
func (n net) deadline(name string, keys ...string) {
	n.node(name, func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		var errs []error
		for _, key := range keys {
			_, err := graph.Ask(ctx, graph.Question{Key: key, Expires: noon})
			errs = append(errs, err)
		}
		return []graph.Write{n.log.Add(name)}, errors.Join(errs...)
	})
}

// at sets the clock of the runtimes that follow.
func (r *rig) at(now time.Time) {
	r.kept, r.config.Now = nil, func() time.Time { return now }
}

func (r *rig) expire(p *graph.Plan) graph.Result {
	r.t.Helper()
	res, err := r.runtime().Expire(r.t.Context(), p, graph.Call{Thread: r.thread})
	must(r.t, err)
	return res
}

func expiryEdge(t *testing.T, r *rig) {
	r.at(noon.Add(-time.Hour))
	n := r.net()
	n.deadline("ask", "q")
	n.node("go", nil)
	n.node("late", nil)
	n.line("ask", "go")
	n.OnExpiry("ask", "late")
	n.Edge("late", graph.End)
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	r.at(noon.Add(time.Second))
	res := r.expire(p)
	wantDone(t, res)
	n.wantLog(t, res.State, "late")
	r.wantRuns("ask", 1)
	if len(res.Outcomes) != 1 || !res.Outcomes[0].Answer.Expired {
		t.Errorf("outcomes %+v", res.Outcomes)
	}
	again, err := r.answer(p, yes(in))
	must(t, err)
	if o := again.Outcomes; len(o) != 1 || !o[0].Duplicate || !o[0].Answer.Expired {
		t.Errorf("an answer after the expiry: %+v", again.Outcomes)
	}
	if res := r.expire(p); res.Seq != again.Seq || len(res.Outcomes) != 0 {
		t.Errorf("a second sweep did something: %+v", res)
	}
	n.wantLog(t, r.mustPeek(p).State, "late")
}

func (r *rig) mustPeek(p *graph.Plan) graph.Result {
	r.t.Helper()
	res, err := r.runtime().Peek(r.t.Context(), p, r.thread)
	must(r.t, err)
	return res
}

func expiryWithdraws(t *testing.T, r *rig) {
	r.at(noon.Add(-time.Hour))
	n := r.net()
	n.deadline("ask", "one", "two")
	n.node("late", nil)
	n.line("ask")
	n.OnExpiry("ask", "late")
	n.Edge("late", graph.End)
	p := n.compile(graph.Options{})
	ins := wantWaiting(t, r.run(p, "1"), 2)
	res, err := r.answer(p, graph.Answer{ID: ins[1].ID, Expired: true}) // an observer may know before us
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, "late")
	if _, err := r.answer(p, yes(ins[0])); !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Errorf("answer to the question that was withdrawn: %v", err)
	}
}

func expiryBranch(t *testing.T, r *rig) {
	r.at(noon.Add(-time.Hour))
	n := r.net()
	n.deadline("x", "q")
	n.asker("y")
	n.node("late", nil)
	n.node("join", nil)
	n.path(graph.Start, "x", "join", graph.End)
	n.path(graph.Start, "y", "join")
	n.OnExpiry("x", "late")
	n.Edge("late", graph.End)
	p := n.compile(graph.Options{})
	wantWaiting(t, r.run(p, "1"), 2)
	r.at(noon.Add(time.Hour))
	in := wantWaiting(t, r.expire(p), 1)[0]
	if in.Node != "y" {
		t.Fatalf("%s waits, want y", in.Node)
	}
	res, err := r.answer(p, yes(in))
	must(t, err)
	wantDone(t, res)
	got := slices.Sorted(slices.Values(n.log.Get(res.State)))
	if !slices.Equal(got, []string{"join", "late", `y="yes"`}) {
		t.Errorf("log %q", got)
	}
}

func expiryInside(t *testing.T, r *rig) {
	r.at(noon.Add(-time.Hour))
	inner := r.net()
	inner.deadline("ask", "q")
	inner.node("late", nil)
	inner.line("ask")
	inner.OnExpiry("ask", "late")
	inner.Edge("late", graph.End)
	n := r.net()
	n.Subgraph("sub", inner.compile(graph.Options{}), graph.Mapping{
		In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
			return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil
		},
	}, graph.Policy{})
	n.line("sub")
	p := n.compile(graph.Options{})
	wantWaiting(t, r.run(p, "1"), 1)
	r.at(noon.Add(time.Hour))
	res := r.expire(p)
	wantDone(t, res)
	n.wantLog(t, res.State, "late")
	r.wantRuns("ask", 1)
}

func lateAnswer(t *testing.T, r *rig) {
	r.at(noon.Add(-time.Hour))
	n := r.net()
	n.deadline("ask", "q")
	n.line("ask")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	r.at(noon.Add(time.Second))
	_, err := r.answer(p, yes(in))
	var bad *graph.AnswerError
	if !errors.Is(err, graph.ErrExpired) || !errors.As(err, &bad) || bad.ID != in.ID {
		t.Fatalf("late answer: %v", err)
	}
	r.wantRuns("ask", 1)
	if over := graph.Overdue(r.mustPeek(p).Interrupts, noon.Add(time.Second)); len(over) != 1 {
		t.Errorf("%d questions are overdue, want one", len(over))
	}
	wantDone(t, r.expire(p)) // the node sees it itself
	r.wantRuns("ask", 2)
}

func answerUnderway(t *testing.T, r *rig) {
	r.at(noon.Add(-time.Hour))
	n := r.net()
	n.deadline("ask", "q")
	n.line("ask")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	r.at(noon.Add(time.Hour))
	res, err := r.answer(p, graph.Answer{ID: in.ID, At: noon.Add(-time.Minute), Value: json.RawMessage(`1`)})
	must(t, err)
	wantDone(t, res)
}

func expireEarly(t *testing.T, r *rig) {
	r.at(noon.Add(-time.Hour))
	n := r.net()
	n.deadline("ask", "q")
	n.line("ask")
	p := n.compile(graph.Options{})
	if res := r.expire(p); res.Seq != 0 {
		t.Fatalf("a thread that does not exist: %+v", res)
	}
	first := r.run(p, "1")
	if res := r.expire(p); res.Seq != first.Seq || len(res.Interrupts) != 1 {
		t.Errorf("%+v", res)
	}
	r.wantRuns("ask", 1)
}

// expiryWithin: a later look at a question does not postpone its deadline.
func expiryWithin(t *testing.T, r *rig) {
	r.at(noon)
	n := r.net()
	n.node("ask", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		_, err := graph.Ask(ctx, graph.Question{Within: time.Hour})
		return []graph.Write{n.log.Add("ask")}, err
	})
	n.line("ask")
	p := n.compile(graph.Options{})
	for _, late := range []time.Duration{0, 30 * time.Minute} {
		r.at(noon.Add(late))
		if in := wantWaiting(t, r.run(p, "1"), 1)[0]; !in.Expires.Equal(noon.Add(time.Hour)) {
			t.Errorf("after %v it waits until %v", late, in.Expires)
		}
	}
}
