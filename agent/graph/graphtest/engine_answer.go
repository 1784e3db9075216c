package graphtest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"maru/agent/graph"
)

func answerCases() map[string]func(*testing.T, *rig) {
	return map[string]func(*testing.T, *rig){
		"two_parallel_questions_in_one_resume":       twoInOneResume,
		"parallel_questions_in_any_order":            anyOrder,
		"answer_sent_twice_has_no_effect":            answerTwice,
		"stale_and_unknown_answers_are_typed_errors": staleAnswer,
		"a_bad_answer_records_nothing":               badAnswer,
		"expired_answer_reaches_the_node":            expiredAnswer,
		"resume_without_anything_is_a_typed_error":   nothingToResume,
		"asking_again_without_answers_runs_nothing":  waitAgain,
		"duplicates_are_known_after_later_turns":     duplicateLater,
	}
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
