package orchestrator_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/phrase"
)

// finished returns a desk whose first task has ended: two steps, the second of which
// writes a note.
func finished(t *testing.T, asks agent.Approvals) *desk {
	t.Helper()
	m := weatherMind()
	m.clarity = []llmtest.Reply{clear(0.9)}
	d := newDesk(t, m, asks)
	for res := d.run(); len(res.Interrupts) > 0; res = d.run() {
		d.decide(res.Interrupts[0], do("accept"))
	}
	if d.tools.made() != `get_weather{"city":"부산"}; write_note{"text":"맑음"}` {
		t.Fatalf("calls %s", d.tools.made())
	}
	return d
}

// redo begins a turn that redoes run1 from a step.
func (d *desk) redo(n int) *desk {
	d.next(phrase.Say("ko", "bot.redo.words", n))
	d.req.Redo = agent.Redo{Run: "run1", Step: n}
	return d
}

func TestRedoAsksAgainForWhatWasGranted(t *testing.T) {
	t.Parallel()
	d := finished(t, everything).redo(2)
	plans := d.model.Count()
	i, a := d.asked("plan")
	if d.model.Count() != plans {
		t.Error("the model was asked for a plan that there is")
	}
	if len(a.Steps) != 1 || a.Effect != agent.EffectWrites || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "한 번 더") }) {
		t.Errorf("the plan is shown as %+v", a)
	}
	i, a = d.decide(i, do("accept")).asked("step")
	if stateOf(a.Steps) != "done running" || !strings.Contains(a.Notes[0], "이미 시도한 단계") {
		t.Errorf("the step is shown as %+v", a)
	}
	if n := strings.Count(d.tools.made(), "write_note"); n != 1 {
		t.Fatalf("%d notes before anybody agreed", n)
	}
	d.start() // the process dies while it waits
	d.req.Redo = agent.Redo{}
	res := d.decide(i, do("accept")).run()
	if d.tools.made() != `get_weather{"city":"부산"}; write_note{"text":"맑음"}; write_note{"text":"맑음"}` {
		t.Errorf("calls %s", d.tools.made())
	}
	if !strings.Contains(res.Text, "2단계부터 다시 했어요") || states(d.lastPlan()) != "done done" || len(res.Artifacts) != 2 {
		t.Errorf("%q, plan %s", res.Text, states(d.lastPlan()))
	}
}

// TestRedoIsNeverDoneTwice lets a redo be called again, as after a crash, at its
// question, and in the end.
func TestRedoIsNeverDoneTwice(t *testing.T) {
	t.Parallel()
	d := finished(t, everything).redo(1)
	first, _ := d.asked("plan")
	d.start()
	again, _ := d.asked("plan")
	if first.ID != again.ID {
		t.Fatal("the question is another one after a restart")
	}
	res := d.decide(again, do("reject")).run()
	if n := len(strings.Split(d.tools.made(), ";")); n != 2 || len(res.Interrupts) > 0 {
		t.Errorf("a rejected redo made calls: %s", d.tools.made())
	}
	d.start()
	if end := d.run(); end.Text != res.Text {
		t.Errorf("called again in the end: %q, before %q", end.Text, res.Text)
	}
}

// TestRedoWithoutPeople: where nobody is asked, nothing that writes is done again.
func TestRedoWithoutPeople(t *testing.T) {
	t.Parallel()
	d := finished(t, everything).redo(1)
	d.req.Approvals = agent.Approvals{}
	if res := d.run(); len(res.Interrupts) > 0 || strings.Count(d.tools.made(), "write_note") != 1 || strings.Count(d.tools.made(), "get_weather") != 2 {
		t.Errorf("%+v, calls %s", res, d.tools.made())
	}
}

func TestRedoAfterOtherTurns(t *testing.T) {
	t.Parallel()
	d := finished(t, everything)
	d.mind.route = func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") }
	d.next("고마워").run()
	d.redo(2)
	i, _ := d.asked("plan")
	i, _ = d.decide(i, do("accept")).asked("step")
	d.decide(i, do("accept")).run()
	if n := strings.Count(d.tools.made(), "write_note"); n != 2 {
		t.Errorf("calls %s", d.tools.made())
	}
	var shown string
	d.mind.before = func(_ int, req llm.Request) {
		for _, m := range req.Messages {
			shown += m.Content + "\n"
		}
	}
	d.req.Redo = agent.Redo{}
	d.next("뭐라고 했지?").run()
	for _, said := range []string{"부산 날씨를 알아보고", "고마워", "2단계부터 다시 해 줘", "메모했어요"} {
		if !strings.Contains(shown, said) {
			t.Errorf("the thread has forgotten %q:\n%s", said, shown)
		}
	}
}

func TestRedoOfWhatCannotBeRedone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		redo   agent.Redo
		forget bool
		code   string
	}{
		"no_such_step":   {redo: agent.Redo{Run: "run1", Step: 3}, code: "redo_step"},
		"step_zero":      {redo: agent.Redo{Run: "run1"}, code: "redo_step"},
		"unknown_run":    {redo: agent.Redo{Run: "run9", Step: 1}, code: "redo_gone"},
		"task_forgotten": {redo: agent.Redo{Run: "run1", Step: 1}, forget: true, code: "redo_gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := finished(t, everything)
			if c.forget {
				if err := d.agent.Amend(t.Context(), "thread", "m1", "", true); err != nil {
					t.Fatal(err)
				}
			}
			d.next("again").req.Redo = c.redo
			_, err := d.agent.Run(t.Context(), d.req, d.sink)
			var f *agent.Failure
			if !errors.As(err, &f) || f.Code != c.code {
				t.Errorf("error %v, want %s", err, c.code)
			}
		})
	}
}

// TestRedoOfABrokenOffTask goes on from the step at which a task was given up.
func TestRedoOfABrokenOffTask(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.clarity = []llmtest.Reply{clear(0.9)}
	d := newDesk(t, m, everything)
	i, _ := d.asked("plan")
	i, _ = d.decide(i, do("accept")).asked("step")
	d.decide(i, do("accept")).asked("step") // the second waits, and nobody answers
	i, a := d.redo(2).asked("plan")
	if len(a.Steps) != 1 {
		t.Fatalf("plan %+v", a)
	}
	i, a = d.decide(i, do("accept")).asked("step")
	if slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "이미") }) {
		t.Errorf("a step that never ran is said to have run: %+v", a.Notes)
	}
	d.decide(i, do("accept")).run()
	if d.tools.made() != `get_weather{"city":"부산"}; write_note{"text":"맑음"}` {
		t.Errorf("calls %s", d.tools.made())
	}
}
