package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
)

func TestClarificationDecisions(t *testing.T) {
	t.Parallel()
	only := agent.Approvals{Clarification: true, Plan: true}
	unclear := func() *mind {
		m := weatherMind()
		m.clarity = []llmtest.Reply{clear(0.2, "언제요?", "어디요?"), clear(0.4, "몇 시요?"), clear(0.5, "왜요?")}
		return m
	}
	t.Run("proceed", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, unclear(), only)
		i, _ := d.asked("clarification")
		d.decide(i, do("proceed")).asked("plan")
		if d.visited("process_clarification_feedback") != 1 {
			t.Error("asked on")
		}
	})
	t.Run("stop_is_no_answer", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, unclear(), only)
		i, _ := d.asked("clarification")
		res := d.decide(i, do("stop")).run()
		if len(res.Interrupts) > 0 || d.tools.made() != "" || !strings.Contains(res.Text, "멈췄어요") {
			t.Errorf("asked %d, %q", len(res.Interrupts), res.Text)
		}
	})
	t.Run("asks_on_once", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, unclear(), only)
		i, _ := d.asked("clarification")
		i, a := d.decide(i, words("clarify", "내일 부산")).asked("clarification")
		if !strings.Contains(a.Detail, "몇 시") || len(a.Notes) != 1 {
			t.Errorf("%+v", a)
		}
		d.decide(i, words("clarify", "아침")).asked("plan")
		prompt := d.model.Requests()[d.model.Count()-1].Messages[0].Content
		if !strings.Contains(prompt, "내일 부산") || !strings.Contains(prompt, "아침") {
			t.Errorf("the planner does not know the answers: %s", prompt)
		}
	})
	t.Run("one_click_answers", func(t *testing.T) {
		t.Parallel()
		m := weatherMind()
		m.clarity = []llmtest.Reply{
			llmtest.JSON(map[string]any{"score": 0.2, "questions": []map[string]any{{"question": "어디요?", "options": []string{"서울", "부산"}}}}), clear(0.9),
		}
		d := newDesk(t, m, only)
		i, a := d.asked("clarification")
		if in := a.Actions[0].Inputs; len(in) != 1 || len(in[0].Offers) != 2 || in[0].Offers[1].Value != "부산" || len(in[0].Options) > 0 {
			t.Fatalf("%+v", a.Actions)
		}
		d.decide(i, agent.Reply{Action: "clarify", Values: map[string]string{"q1": "부산"}}).asked("plan")
		if prompt := d.model.Requests()[d.model.Count()-1].Messages[0].Content; !strings.Contains(prompt, "부산") {
			t.Errorf("the planner does not know the answer: %s", prompt)
		}
	})
	t.Run("empty_answer_is_asked_again", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, unclear(), only)
		i, _ := d.asked("clarification")
		_, a := d.decide(i, agent.Reply{Action: "clarify", Values: map[string]string{"q1": " "}}).asked("clarification")
		if len(a.Notes) != 1 || d.model.Count() != 2 {
			t.Errorf("%+v after %d calls", a, d.model.Count())
		}
	})
}
