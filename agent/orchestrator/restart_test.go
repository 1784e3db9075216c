package orchestrator_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/memory/sqlitestore"
)

// TestQuestionsOutliveTheProcess closes the store at every question of a run and
// opens it again, as after a kill: each is asked with the same id, decided once,
// and what was done is not done again.
func TestQuestionsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"ko", "en"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.clarity = []llmtest.Reply{clear(0.3, "언제 날씨인가요?"), clear(0.9)}
			d := newDesk(t, m, everything)
			if language == "en" {
				d.english()
			}
			path := filepath.Join(t.TempDir(), "maru.db")
			var store *sqlitestore.Store
			reopen := func() {
				t.Helper()
				if store != nil {
					if err := store.Close(); err != nil {
						t.Fatal(err)
					}
				}
				var err error
				if store, err = sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path}); err != nil {
					t.Fatal(err)
				}
				d.log = store
				d.start()
			}
			reopen()
			defer func() { _ = store.Close() }()
			for _, kind := range []string{"clarification", "plan", "step", "step"} {
				before, _ := d.asked(kind)
				reopen()
				after, _ := d.asked(kind) // asked again without a decision
				if before.ID != after.ID || string(before.Payload) != string(after.Payload) {
					t.Fatalf("%s: asked as %s, after the restart as %s", kind, before.ID, after.ID)
				}
				if d.model.Count() != 0 {
					t.Errorf("%s: asking again cost %d calls of the model", kind, d.model.Count())
				}
				verb := "accept"
				if kind == "clarification" {
					d.decide(after, words("clarify", "오늘"))
				} else {
					d.decide(after, do(verb))
				}
				reopen()
			}
			res := d.run()
			if d.tools.made() != `get_weather{"city":"부산"}; write_note{"text":"맑음"}` || len(res.Artifacts) != 2 {
				t.Errorf("calls %s, %+v", d.tools.made(), res)
			}
			reopen()
			if again := d.run(); again.Text != res.Text || d.model.Count() != 0 {
				t.Errorf("asked again: %q after %d calls", again.Text, d.model.Count())
			}
		})
	}
}

// TestRunGoesOnAfterADeath kills the process at every call of the model.
func TestRunGoesOnAfterADeath(t *testing.T) {
	t.Parallel()
	const calls = 10
	for dies := range calls {
		t.Run(fmt.Sprintf("at_call_%d", dies+1), func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			d := newDesk(t, m, agent.Approvals{Plan: true})
			ctx, die := context.WithCancel(t.Context())
			seen := 0
			m.before = func(int, llm.Request) {
				if seen++; seen == dies+1 {
					die()
				}
			}
			var res agent.Result
			for range 10 {
				var err error
				if res, err = d.agent.Run(ctx, d.req, d.sink); err != nil {
					ctx, d.events = t.Context(), nil // what was shown is forgotten
					d.start()
					continue
				}
				d.req.Decisions = nil
				if len(res.Interrupts) == 0 {
					break
				}
				d.decide(res.Interrupts[0], do("accept"))
			}
			die()
			if !strings.HasPrefix(res.Text, "부산은 맑아요") || d.tools.made() != `get_weather{"city":"부산"}; write_note{"text":"맑음"}` {
				t.Errorf("%q, calls %s", res.Text, d.tools.made())
			}
			if got := states(d.lastPlan()); got != "done done" {
				t.Errorf("the plan is shown as %s", got)
			}
		})
	}
}

// TestAPlanIsShownBySomebodyNew asks for the result of a run that was over when its
// process died: the next one shows its plan as well.
func TestAPlanIsShownBySomebodyNew(t *testing.T) {
	t.Parallel()
	d := newDesk(t, weatherMind(), agent.Approvals{Plan: true})
	i, _ := d.asked("plan")
	d.decide(i, do("accept")).accepted()
	d.events = nil
	d.start()
	if d.run(); states(d.lastPlan()) != "done done" {
		t.Errorf("the plan is shown as %s", states(d.lastPlan()))
	}
}

// TestResultIsSavedWhenTheRunDiesRightAfter stops the run once a step's tool has
// returned: its result is there when the run goes on.
func TestResultIsSavedWhenTheRunDiesRightAfter(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	d := newDesk(t, m, agent.Approvals{Plan: true})
	ctx, die := context.WithCancel(t.Context())
	i, _ := d.asked("plan")
	d.decide(i, do("accept"))
	m.steps = func(req llm.Request) llmtest.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
			die()
			return llmtest.Text("맑음")
		}
		return llmtest.CallTool("get_weather", `{"city":"부산"}`)
	}
	if _, err := d.agent.Run(ctx, d.req, d.sink); err == nil {
		t.Fatal("the run did not die")
	}
	d.start()
	m.steps = weatherMind().steps
	res := d.accepted()
	if strings.Count(d.tools.made(), "get_weather") != 1 || !strings.Contains(string(res.Artifacts[0].Data), "result of get_weather") {
		t.Errorf("calls %s, artifacts %s", d.tools.made(), res.Artifacts[0].Data)
	}
}

// TestExpiredQuestionsFailClosed lets every question run out.
func TestExpiredQuestionsFailClosed(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"clarification": "시작하지 않았어요", "plan": "실행하지 않았어요", "step": "건너뛰었어요"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.clarity = []llmtest.Reply{clear(0.3, "언제?")}
			d := newDesk(t, m, agent.Approvals{Clarification: kind == "clarification", Plan: kind == "plan", Step: kind == "step"})
			res := d.run()
			for n := 0; len(res.Interrupts) > 0 && n < 5; n++ {
				if res.Interrupts[0].Kind != kind {
					t.Fatalf("asked for %s", res.Interrupts[0].Kind)
				}
				d.req.Decisions = []agent.Decision{{Interrupt: res.Interrupts[0].ID, At: noon.Add(time.Hour), Expired: true}}
				res = d.run()
			}
			if !strings.Contains(res.Text, want) || d.tools.made() != "" {
				t.Errorf("%q, calls %s", res.Text, d.tools.made())
			}
		})
	}
}

// TestSpendingIsCountedOverRestarts gives the turn a budget that it uses up
// before and after a question.
func TestSpendingIsCountedOverRestarts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, weatherMind(), agent.Approvals{Plan: true})
	d.cfg.Budget.Calls = 4 // route, clarity is off, plan, and two for the first step
	d.start()
	i, _ := d.asked("plan")
	d.start()
	i, _ = d.decide(i, do("accept")).asked("step") // its values can be typed, without the model
	res := d.decide(i, agent.Reply{Action: "edit", Values: map[string]string{"text": "맑음"}}).accepted()
	if n := d.model.Count(); n > 2 {
		t.Errorf("%d calls after the restart", n)
	}
	if !strings.Contains(res.Text, "result of get_weather") || !strings.Contains(res.Text, "result of write_note") || !strings.Contains(res.Text, "답을 다듬지 못해") {
		t.Errorf("answer %q", res.Text)
	}
}
