package graphtest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"maru/agent/graph"
)

func interruptCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"same_approval_in_a_loop_asks_again":          loopAsksAgain,
		"finished_sibling_not_rerun_after_question":   siblingOfQuestion,
		"effect_before_a_question_happens_once":       effectBeforeQuestion,
		"two_questions_in_one_node":                   twoQuestions,
		"question_before_a_node":                      questionBefore,
		"question_in_a_subgraph":                      questionInSubgraph,
		"a_swallowed_question_still_waits":            swallowed,
		"questions_keep_payload_schema_and_deadline":  questionFields,
		"parallel_questions_of_a_fan_out_same_node":   fanOutQuestions,
		"subgraph_branch_goes_on_with_its_own_answer": subgraphBranches,
	}
}

func loopAsksAgain(t *testing.T, r *rig) {
	n := r.net()
	n.asker("approve")
	n.Edge(graph.Start, "approve")
	n.Switch("approve", func(s graph.State) string {
		if len(n.log.Get(s)) < 3 {
			return "approve"
		}
		return graph.End
	}, "approve", graph.End)
	p := n.compile(graph.Options{})
	res := r.run(p, "1")
	seen := map[string]bool{}
	for range 3 {
		in := wantWaiting(t, res, 1)[0]
		if seen[in.ID] {
			t.Fatal("the loop asked under an old id")
		}
		seen[in.ID] = true
		var err error
		res, err = r.answer(p, yes(in))
		must(t, err)
	}
	wantDone(t, res)
	n.wantLog(t, res.State, `approve="yes"`, `approve="yes"`, `approve="yes"`)
}

func siblingOfQuestion(t *testing.T, r *rig) {
	n := r.net()
	n.node("x", nil)
	n.asker("y")
	n.node("join", nil)
	n.path(graph.Start, "x", "join", graph.End)
	n.path(graph.Start, "y", "join")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	res, err := r.answer(p, yes(in))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, "x", `y="yes"`, "join")
	r.wantRuns("x", 1)
	r.wantRuns("y", 2)
}

func effectBeforeQuestion(t *testing.T, r *rig) {
	n := r.net()
	n.node("act", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		v, err := graph.Once(ctx, "send", func(context.Context, string) (string, error) {
			r.count("send")
			return "sent", nil
		})
		if err != nil {
			return nil, err
		}
		for range 2 {
			if _, err := graph.Ask(ctx, graph.Question{}); err != nil {
				return nil, err
			}
		}
		return []graph.Write{n.log.Add(v)}, nil
	})
	n.line("act")
	p := n.compile(graph.Options{})
	res := r.run(p, "1")
	for range 2 {
		var err error
		res, err = r.answer(p, yes(wantWaiting(t, res, 1)[0]))
		must(t, err)
	}
	wantDone(t, res)
	n.wantLog(t, res.State, "sent")
	r.wantRuns("send", 1)
	r.wantRuns("act", 3)
}

// twoQuestions asks both before it waits: it runs again only when both are
// answered.
func twoQuestions(t *testing.T, r *rig) {
	n := r.net()
	n.node("ask", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		a, err1 := graph.Ask(ctx, graph.Question{Key: "a"})
		b, err2 := graph.Ask(ctx, graph.Question{Key: "b"})
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return []graph.Write{n.log.Add(string(a.Value), string(b.Value))}, nil
	})
	n.line("ask")
	p := n.compile(graph.Options{})
	ins := wantWaiting(t, r.run(p, "1"), 2)
	res, err := r.answer(p, yes(ins[1]))
	must(t, err)
	wantWaiting(t, res, 1)
	r.wantRuns("ask", 1)
	res, err = r.answer(p, graph.Answer{ID: ins[0].ID, Value: json.RawMessage(`1`)})
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, `1`, `"yes"`)
	r.wantRuns("ask", 2)
}

func questionBefore(t *testing.T, r *rig) {
	n := r.net()
	n.policy("act", graph.Policy{Before: func(_ context.Context, s graph.State) (*graph.Question, error) {
		if len(n.log.Get(s)) > 0 {
			return nil, nil // nothing to ask
		}
		return &graph.Question{Kind: "plan"}, nil
	}}, func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		a, ok := graph.Answered(ctx)
		if !ok {
			return []graph.Write{n.log.Add("unasked")}, nil
		}
		return []graph.Write{n.log.Add(string(a.Value))}, nil
	})
	n.line("act")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	r.wantRuns("act", 0)
	res, err := r.answer(p, yes(in))
	must(t, err)
	wantDone(t, res)
	wantDone(t, r.run(p, "2"))
	res = r.run(p, "2")
	n.wantLog(t, res.State, `"yes"`, "unasked")
}

func questionInSubgraph(t *testing.T, r *rig) {
	inner := r.net()
	inner.node("prepare", nil)
	inner.asker("inside")
	inner.line("prepare", "inside")
	child := inner.compile(graph.Options{})
	n := r.net()
	n.Subgraph("sub", child, graph.Mapping{
		In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
			return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil
		},
	}, graph.Policy{})
	n.node("after", nil)
	n.line("sub", "after")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	if in.Node != "sub/inside" {
		t.Errorf("question of node %q, want sub/inside", in.Node)
	}
	res, err := r.answer(p, yes(in))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, "prepare", `inside="yes"`, "after")
	r.wantRuns("prepare", 1)
	r.wantRuns("inside", 2)
}

func subgraphBranches(t *testing.T, r *rig) {
	inner, child := fork(r)
	n := r.net()
	n.Subgraph("sub", child, graph.Mapping{
		In: func(context.Context, graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(_ context.Context, s graph.State) ([]graph.Write, error) {
			return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil
		},
	}, graph.Policy{})
	n.line("sub")
	p := n.compile(graph.Options{})
	ins := wantWaiting(t, r.run(p, "1"), 2)
	res, err := r.answer(p, yes(of(t, ins, "sub/y")))
	must(t, err)
	wantWaiting(t, res, 1)
	r.wantRuns("y", 2)
	r.wantRuns("x", 1)
	res, err = r.answer(p, yes(of(t, ins, "sub/x")))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, `x="yes"`, `y="yes"`, "join")
	r.wantRuns("y", 2)
}

func swallowed(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		if _, err := graph.Ask(ctx, graph.Question{}); err != nil {
			return []graph.Write{n.log.Add("went on unasked")}, nil //nolint:nilerr // the fault under test
		}
		return []graph.Write{n.log.Add("asked")}, nil
	})
	n.line("a")
	p := n.compile(graph.Options{})
	res, err := r.answer(p, yes(wantWaiting(t, r.run(p, "1"), 1)[0]))
	must(t, err)
	n.wantLog(t, res.State, "asked")
}

func questionFields(t *testing.T, r *rig) {
	q := graph.Question{
		Key: "k", Kind: "plan", Payload: json.RawMessage(`{"steps":["a <b>"]}`),
		Schema: json.RawMessage(`{"type":"boolean"}`), Expires: noon.Add(time.Hour),
	}
	n := r.net()
	n.node("a", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		_, err := graph.Ask(ctx, q)
		return nil, err
	})
	n.line("a")
	p := n.compile(graph.Options{})
	r.run(p, "1")
	res, err := r.runtime().Peek(t.Context(), p, r.thread)
	must(t, err)
	in := wantWaiting(t, res, 1)[0]
	if in.Node != "a" || in.Key != "k" || in.Kind != "plan" || string(in.Payload) != string(q.Payload) ||
		string(in.Schema) != string(q.Schema) || !in.Expires.Equal(q.Expires) {
		t.Fatalf("question %+v, want %+v", in, q)
	}
}

func fanOutQuestions(t *testing.T, r *rig) {
	n := r.net()
	n.node("work", func(ctx context.Context, s graph.State) ([]graph.Write, error) {
		name, err := graph.Arg[string](s)
		if err != nil {
			return nil, err
		}
		a, err := graph.Ask(ctx, graph.Question{Key: "same"})
		if err != nil {
			return nil, err
		}
		return []graph.Write{n.log.Add(name + string(a.Value))}, nil
	})
	n.Branch(graph.Start, func(context.Context, graph.State) ([]graph.Send, error) {
		return []graph.Send{graph.SendTo("work", "a"), graph.SendTo("work", "b"), graph.SendTo("work", "c")}, nil
	}, "work")
	n.Edge("work", graph.End)
	p := n.compile(graph.Options{})
	ins := wantWaiting(t, r.run(p, "1"), 3)
	var res graph.Result
	for _, i := range []int{2, 0, 1} {
		var err error
		res, err = r.answer(p, graph.Answer{ID: ins[i].ID, Value: json.RawMessage(`1`)})
		must(t, err)
	}
	wantDone(t, res)
	n.wantLog(t, res.State, "a1", "b1", "c1")
	r.wantRuns("work", 6)
}
