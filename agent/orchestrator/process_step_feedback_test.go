package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestStepDecisions(t *testing.T) {
	t.Parallel()
	onlySteps := agent.Approvals{Step: true}
	t.Run("skipped_tool_never_runs", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, weatherMind(), onlySteps)
		i, _ := d.asked("step")
		i, _ = d.decide(i, do("accept")).asked("step")
		res := d.decide(i, do("skip")).run()
		if d.tools.made() != `get_weather{"city":"부산"}` || states(d.lastPlan()) != "done skipped" || !strings.Contains(res.Text, "건너뜀") {
			t.Errorf("calls %s, plan %s, %q", d.tools.made(), states(d.lastPlan()), res.Text)
		}
	})
	t.Run("stop_is_not_only_this_step", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, weatherMind(), onlySteps)
		i, _ := d.asked("step")
		res := d.decide(i, do("stop")).run()
		if d.tools.made() != "" || len(res.Interrupts) > 0 || !strings.Contains(res.Text, "멈췄어요") {
			t.Errorf("calls %s, asked %d, %q", d.tools.made(), len(res.Interrupts), res.Text)
		}
		if got := states(d.lastPlan()); strings.Contains(got, string(agent.StepRunning)) { // else it is shown as broken off
			t.Errorf("the plan ends as %s", got)
		}
	})
	t.Run("edited_values_run", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, weatherMind(), onlySteps)
		i, a := d.asked("step")
		if in := a.Actions[1].Inputs; len(in) != 2 || in[0].ID != "city" || in[0].Value != "부산" || !in[0].Required {
			t.Errorf("form: %+v", in)
		}
		d.decide(i, agent.Reply{Action: "edit", Values: map[string]string{"city": "서울", "days": "2"}}).asked("step")
		if d.tools.made() != `get_weather{"city":"서울","days":2}` {
			t.Errorf("calls %s", d.tools.made())
		}
	})
	t.Run("wrong_values_are_asked_for_again", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, weatherMind(), onlySteps)
		i, _ := d.asked("step")
		i, a := d.decide(i, agent.Reply{Action: "edit", Values: map[string]string{"city": "서울", "days": "soon"}}).asked("step")
		if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "days") || d.tools.made() != "" {
			t.Errorf("%+v", a)
		}
		d.decide(i, agent.Reply{Action: "edit", Values: map[string]string{"city": "", "days": ""}}).asked("step")
		if d.tools.made() != "" {
			t.Errorf("calls %s", d.tools.made())
		}
	})
}

// TestWordsAtAStep: what is said in the thread changes the call, and runs nothing.
func TestWordsAtAStep(t *testing.T) {
	t.Parallel()
	onlySteps := agent.Approvals{Step: true}
	t.Run("words_change_the_call", func(t *testing.T) {
		t.Parallel()
		m := weatherMind()
		m.args = func(req llm.Request) llmtest.Reply {
			if last := req.Messages[len(req.Messages)-1].Content; strings.Contains(last, "서울로") {
				return llmtest.CallTool("get_weather", `{"city":"서울"}`)
			}
			return llmtest.CallTool(req.Tools[0].Name, `{"city":"부산"}`)
		}
		d := newDesk(t, m, onlySteps)
		i, _ := d.asked("step")
		i, a := d.decide(i, words("edit", "서울로 해줘")).asked("step")
		if d.tools.made() != "" || !strings.Contains(a.Detail, "서울") || len(a.Notes) != 1 {
			t.Errorf("what the model made of words is not shown first: %+v, calls %s", a, d.tools.made())
		}
		d.decide(i, do("accept")).asked("step")
		if d.tools.made() != `get_weather{"city":"서울"}` {
			t.Errorf("calls %s", d.tools.made())
		}
	})
	for _, said := range []string{"잠깐만 실행하지 말고 기다려", "hold on, do not run this", "이 단계는 왜 필요해?", "그런데 연차는 며칠이야?"} {
		t.Run("nothing_runs_by_"+said, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), onlySteps) // a model that calls the tool whatever is said
			i, _ := d.asked("step")
			i, a := d.decide(i, words("edit", said)).asked("step")
			if d.tools.made() != "" || len(a.Notes) != 1 {
				t.Errorf("%+v, calls %s", a, d.tools.made())
			}
			if d.decide(i, do("skip")).asked("step"); d.tools.made() != "" {
				t.Errorf("calls %s", d.tools.made())
			}
		})
	}
	t.Run("missing_values_cannot_be_accepted", func(t *testing.T) {
		t.Parallel()
		m := weatherMind()
		m.args = func(req llm.Request) llmtest.Reply { return llmtest.CallTool(req.Tools[0].Name, `{}`) }
		d := newDesk(t, m, onlySteps)
		i, a := d.asked("step")
		if verbs(a) != "edit skip" || !strings.Contains(a.Detail, "city") || !strings.Contains(a.Detail, "0%") {
			t.Errorf("%+v", a)
		}
		_, a = d.decide(i, words("edit", "네")).asked("step")
		if d.tools.made() != "" || verbs(a) != "edit skip" {
			t.Errorf("%+v, calls %s", a, d.tools.made())
		}
	})
}
