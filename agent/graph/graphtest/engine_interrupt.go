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
		"two_parallel_questions_in_one_resume":        twoInOneResume,
		"parallel_questions_in_any_order":             anyOrder,
		"finished_sibling_not_rerun_after_question":   siblingOfQuestion,
		"answer_sent_twice_has_no_effect":             answerTwice,
		"effect_before_a_question_happens_once":       effectBeforeQuestion,
		"two_questions_in_one_node":                   twoQuestions,
		"question_before_a_node":                      questionBefore,
		"stale_and_unknown_answers_are_typed_errors":  staleAnswer,
		"a_bad_answer_records_nothing":                badAnswer,
		"expired_answer_reaches_the_node":             expiredAnswer,
		"question_in_a_subgraph":                      questionInSubgraph,
		"asking_again_without_answers_runs_nothing":   waitAgain,
		"a_swallowed_question_still_waits":            swallowed,
		"resume_without_anything_is_a_typed_error":    nothingToResume,
		"questions_keep_payload_schema_and_deadline":  questionFields,
		"duplicates_are_known_after_later_turns":      duplicateLater,
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

func fork(r *rig) (net, *graph.Plan) {
	n := r.net()
	n.asker("x")
	n.asker("y")
	n.node("join", nil)
	n.path(graph.Start, "x", "join", graph.End)
	n.path(graph.Start, "y", "join")
	return n, n.compile(graph.Options{})
}

func twoInOneResume(t *testing.T, r *rig) {
	n, p := fork(r)
	ins := wantWaiting(t, r.run(p, "1"), 2)
	res, err := r.answer(p, yes(of(t, ins, "x")), yes(of(t, ins, "y")))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, `x="yes"`, `y="yes"`, "join")
	r.wantRuns("join", 1)
}

func anyOrder(t *testing.T, r *rig) {
	for _, first := range []string{"x", "y"} {
		n, p := fork(r)
		r.thread += first
		ins := wantWaiting(t, r.run(p, "1"), 2)
		second := map[string]string{"x": "y", "y": "x"}[first]
		res, err := r.answer(p, yes(of(t, ins, first)))
		must(t, err)
		if left := wantWaiting(t, res, 1)[0]; left.ID != of(t, ins, second).ID {
			t.Fatalf("%s waits under a new id", second)
		}
		res, err = r.answer(p, yes(of(t, ins, second)))
		must(t, err)
		wantDone(t, res)
		n.wantLog(t, res.State, `x="yes"`, `y="yes"`, "join")
	}
	r.wantRuns("x", 4)
	r.wantRuns("y", 4)
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

func answerTwice(t *testing.T, r *rig) {
	n := r.net()
	n.asker("a")
	n.asker("b")
	n.line("a", "b")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	res, err := r.answer(p, yes(in), yes(in))
	must(t, err)
	if len(res.Outcomes) != 2 || res.Outcomes[0].Duplicate || !res.Outcomes[1].Duplicate {
		t.Fatalf("outcomes %+v, want one new and one duplicate", res.Outcomes)
	}
	next := wantWaiting(t, res, 1)[0]
	again := yes(in)
	again.By, again.Value = "bob", json.RawMessage(`"no"`)
	res, err = r.answer(p, again)
	must(t, err)
	o := res.Outcomes[0]
	if !o.Duplicate || o.Answer.By != "ann" || string(o.Answer.Value) != `"yes"` {
		t.Fatalf("outcome %+v, want the first answer", o)
	}
	if wantWaiting(t, res, 1)[0].ID != next.ID {
		t.Fatal("the second question changed its id")
	}
	r.wantRuns("a", 2)
	r.wantRuns("b", 1)
	res, err = r.answer(p, yes(next))
	must(t, err)
	wantDone(t, res)
	if res, err = r.answer(p, yes(next)); err != nil || !res.Done || !res.Outcomes[0].Duplicate {
		t.Fatalf("double click on a finished turn: %+v, %v", res.Outcomes, err)
	}
	n.wantLog(t, res.State, `a="yes"`, `b="yes"`)
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

func staleAnswer(t *testing.T, r *rig) {
	n := r.net()
	n.asker("a")
	n.line("a")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	if _, err := r.answer(p, graph.Answer{ID: "nobody"}); !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Fatalf("unknown id: %v", err)
	}
	if _, err := r.answer(p, yes(in), graph.Answer{ID: "nobody"}); !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Fatalf("one good and one unknown id: %v", err)
	}
	_, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "2"})
	var unfinished *graph.UnfinishedError
	if !errors.As(err, &unfinished) || unfinished.Turn != "1" || len(unfinished.Interrupts) != 1 {
		t.Fatalf("another turn while one waits: %v", err)
	}
	res, err := r.runtime().Run(t.Context(), p, graph.Call{Thread: r.thread, Turn: "2", Abandon: true})
	must(t, err)
	wantWaiting(t, res, 1)
	if _, err := r.answer(p, yes(in)); !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Fatalf("answer to an abandoned turn: %v", err)
	}
	r.wantRuns("a", 2)
}

func badAnswer(t *testing.T, r *rig) {
	r.config.Check = func(in graph.Interrupt, a graph.Answer) error {
		if in.Kind != "test" || a.By != "ann" {
			return errors.New("not allowed")
		}
		return nil
	}
	n, p := fork(r)
	ins := wantWaiting(t, r.run(p, "1"), 2)
	bad := yes(ins[1])
	bad.By = "mallory"
	broken := yes(ins[1])
	broken.Value = json.RawMessage(`{`)
	for _, a := range []graph.Answer{bad, broken} {
		_, err := r.answer(p, yes(ins[0]), a)
		var refused *graph.AnswerError
		if !errors.As(err, &refused) || !errors.Is(err, graph.ErrBadAnswer) || refused.ID != ins[1].ID {
			t.Fatalf("bad answer: %v", err)
		}
	}
	r.wantRuns("x", 1)
	wantWaiting(t, r.run(p, "1"), 2)
	res, err := r.answer(p, yes(ins[0]), yes(ins[1]))
	must(t, err)
	wantDone(t, res)
	n.wantLog(t, res.State, `x="yes"`, `y="yes"`, "join")
}

func expiredAnswer(t *testing.T, r *rig) {
	r.config.Check = func(graph.Interrupt, graph.Answer) error { return errors.New("never") }
	n := r.net()
	n.node("a", func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
		a, err := graph.Ask(ctx, graph.Question{Expires: noon})
		if err != nil {
			return nil, err
		}
		if a.Expired {
			return []graph.Write{n.log.Add("too late")}, nil
		}
		return []graph.Write{n.log.Add("in time")}, nil
	})
	n.line("a")
	p := n.compile(graph.Options{})
	in := wantWaiting(t, r.run(p, "1"), 1)[0]
	if !in.Expires.Equal(noon) {
		t.Fatalf("expires %v, want %v", in.Expires, noon)
	}
	res, err := r.answer(p, graph.Answer{ID: in.ID, Expired: true})
	must(t, err)
	n.wantLog(t, res.State, "too late")
}

func questionInSubgraph(t *testing.T, r *rig) {
	inner := r.net()
	inner.node("prepare", nil)
	inner.asker("inside")
	inner.line("prepare", "inside")
	child := inner.compile(graph.Options{})
	n := r.net()
	n.Subgraph("sub", child, graph.Mapping{
		In:  func(graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(s graph.State) ([]graph.Write, error) { return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil },
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
		In:  func(graph.State) ([]graph.Write, error) { return nil, nil },
		Out: func(s graph.State) ([]graph.Write, error) { return []graph.Write{n.log.Add(inner.log.Get(s)...)}, nil },
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

func waitAgain(t *testing.T, r *rig) {
	n := r.net()
	n.asker("a")
	n.line("a")
	p := n.compile(graph.Options{})
	first := wantWaiting(t, r.run(p, "1"), 1)[0]
	second := wantWaiting(t, r.run(p, "1"), 1)[0]
	res, err := r.answer(p)
	must(t, err)
	third := wantWaiting(t, res, 1)[0]
	if first.ID != second.ID || second.ID != third.ID {
		t.Fatal("a waiting question changed its id")
	}
	r.wantRuns("a", 1)
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

func nothingToResume(t *testing.T, r *rig) {
	n := r.net()
	n.node("a", nil)
	n.line("a")
	p := n.compile(graph.Options{})
	if _, err := r.answer(p); !errors.Is(err, graph.ErrNothingToResume) {
		t.Fatalf("resume of an unknown thread: %v", err)
	}
	r.run(p, "1")
	if _, err := r.answer(p); !errors.Is(err, graph.ErrNothingToResume) {
		t.Fatalf("resume of a finished turn: %v", err)
	}
	if _, err := r.answer(p, graph.Answer{ID: "x"}); !errors.Is(err, graph.ErrStaleInterrupt) {
		t.Fatalf("answer to a finished turn: %v", err)
	}
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

func duplicateLater(t *testing.T, r *rig) {
	n := r.net()
	n.asker("a")
	n.line("a")
	p := n.compile(graph.Options{})
	first := wantWaiting(t, r.run(p, "1"), 1)[0]
	_, err := r.answer(p, yes(first))
	must(t, err)
	second := wantWaiting(t, r.run(p, "2"), 1)[0]
	if first.ID == second.ID {
		t.Fatal("two turns asked under one id")
	}
	res, err := r.answer(p, yes(first))
	must(t, err)
	wantWaiting(t, res, 1)
	if !res.Outcomes[0].Duplicate {
		t.Fatalf("outcome %+v, want a duplicate", res.Outcomes[0])
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
