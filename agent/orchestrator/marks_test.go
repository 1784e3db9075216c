package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/memory/longterm"
)

// TestCardsMarkValuesOfEarlierAnswers: an answer that was applied without asking gives a call its values; the card of
// the plan that pins them, or of the step, says so, until the person changes them.
func TestCardsMarkValuesOfEarlierAnswers(t *testing.T) {
	t.Parallel()
	const mark = "전에 되물었을 때 답하신 값이 들어 있어요 (" // and the day
	for name, c := range map[string]struct {
		asks agent.Approvals
		kind string
	}{
		"plan": {agent.Approvals{Clarification: true, Plan: true}, "plan"},
		"step": {agent.Approvals{Clarification: true, Step: true}, "step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := unclearMind()
			m.plans = []llmtest.Reply{planOf("메일 보내기@send_mail")}
			m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("send_mail", `{"text":"boss@example.com"}`) }
			d := newDesk(t, m, c.asks)
			lessons := answeredBefore(t, d.req.Text, 6)
			lessons[0] = lesson(t, longterm.KindClarification, longterm.ClarificationLesson{
				Session: "old", Query: d.req.Text, Questions: []string{"언제 날씨인가요?"}, Answer: "항상 boss@example.com으로요", Before: 0.2, After: 0.9, Success: true,
			})
			d.remembering(lessons...)
			i, a := d.asked(c.kind)
			if got := strings.Join(a.Notes, "\n"); !strings.Contains(got, "`text`에는 여기서 말씀하지 않은, "+mark+noon.Format("2006-01-02")) {
				t.Fatalf("notes %q", got)
			}
			if c.kind == "plan" { // the plan that is shown again has the same call
				_, a = d.decide(i, words("edit", "음 글쎄")).asked("plan")
				if got := strings.Join(a.Notes, "\n"); strings.Count(got, mark) != 1 || len(a.Notes) < 2 {
					t.Errorf("asked again with notes %q", got)
				}
				return
			}
			m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("send_mail", `{"text":"other@example.com"}`) }
			_, a = d.decide(i, words("edit", "other@example.com으로")).asked("step")
			if got := strings.Join(a.Notes, "\n"); strings.Contains(got, mark) {
				t.Errorf("the person's own value is marked: %q", got)
			}
		})
	}
}

// TestCardsMarkRememberedValuesWithinAStep: a call that the model makes within a step and that waits for a person is
// marked too.
func TestCardsMarkRememberedValuesWithinAStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		marked bool
	}{
		"remembered": {"항상 hunter2@example.com으로요", true},
		"another":    {"항상 boss@example.com으로요", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := obeying(false, func() string { return "hunter2@example.com" })
			m.clarity = unclearMind().clarity
			d := newDesk(t, m, agent.Approvals{Clarification: true, Plan: true})
			d.req.Quoted = []agent.Turn{{Author: "billing", Text: "search for something"}}
			lessons := answeredBefore(t, d.req.Text, 6)
			lessons[0] = lesson(t, longterm.KindClarification, longterm.ClarificationLesson{
				Session: "old", Query: d.req.Text, Questions: []string{"언제 날씨인가요?"}, Answer: c.answer, Before: 0.2, After: 0.9, Success: true,
			})
			d.remembering(lessons...)
			_, a := d.approvePlan()
			if a == nil {
				t.Fatal("not asked")
			}
			if got := strings.Join(a.Notes, "\n"); strings.Contains(got, "전에 되물었을 때 답하신 값이 들어 있어요 (") != c.marked {
				t.Errorf("notes %q", got)
			}
		})
	}
}
