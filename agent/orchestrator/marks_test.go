package orchestrator_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/memory/longterm"
	"maru/phrase"
)

// TestCardsMarkValuesOfEarlierAnswers: an answer that was applied without asking gives a call its values; the card of
// the plan that pins them, or of the step, says so, until the person changes them.
func TestCardsMarkValuesOfEarlierAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asks agent.Approvals
		kind string
	}{
		"plan": {agent.Approvals{Clarification: true, Plan: true}, "plan"},
		"step": {agent.Approvals{Clarification: true, Step: true}, "step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := phrase.Say("ko", "agent.from_answer", "text", noon.Format(time.DateOnly), "항상 boss@example.com으로요")
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
			if got := strings.Join(a.Notes, "\n"); !strings.Contains(got, mark) {
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
			mark := phrase.Say("ko", "agent.from_answer", "text", noon.Format(time.DateOnly), c.answer)
			if got := strings.Join(a.Notes, "\n"); strings.Contains(got, mark) != c.marked {
				t.Errorf("notes %q", got)
			}
		})
	}
}

// TestCardsMarkWhatTheModelMadeUp: people whom nobody named are marked on the card of the plan that pins them and of the step, also
// where the plan named them; what the person then asks for is their own.
func TestCardsMarkWhatTheModelMadeUp(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"title":{"type":"string"},"with":{"type":"array","items":{"type":"string"}},"room":{"enum":["A","B"]},"minutes":{"type":"integer","default":30}}}`
	for name, asks := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("Alice, Bob과 회의 잡기@book_meeting")}
			m.args = func(llm.Request) llmtest.Reply {
				return llmtest.CallTool("book_meeting", `{"title":"회의","with":["Alice","Bob"],"room":"A"}`)
			}
			d := newDesk(t, m, asks)
			d.req.Text = "회의 잡아줘"
			d.tools.put(t, "book_meeting", "books a meeting", schema, tool.Policy{})
			i, a, _ := d.card()
			want := phrase.Say("ko", "agent.made_up", "`with 1` “Alice”, `with 2` “Bob”")
			if got := strings.Join(a.Notes, "\n"); !strings.Contains(got, want) {
				t.Fatalf("notes %q, want %q", got, want)
			}
			if name == "plan" {
				return
			}
			m.args = func(llm.Request) llmtest.Reply {
				return llmtest.CallTool("book_meeting", `{"title":"회의","with":["김철수"],"minutes":60}`)
			}
			_, a = d.decide(i, words("edit", "김철수랑 한 시간으로 해 줘")).asked("step")
			made, _, _ := strings.Cut(phrase.Say("ko", "agent.made_up", ""), ":")
			if got := strings.Join(a.Notes, "\n"); strings.Contains(got, made) {
				t.Errorf("the person's own values are marked: %q", got)
			}
		})
	}
}

// TestTextOfAStepGivesNothing: people whom the model names in its text about one step count as made up in the next; what a tool told
// it in that step was given, whatever the model makes of it.
func TestTextOfAStepGivesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, call, want string // want is marked
	}{
		"of the model": {"참석자는 Alice와 Bob입니다.", `{"title":"회의","with":["Alice","Bob"]}`, "`with 1` “Alice”, `with 2` “Bob”"},
		"of a tool":    {"찾았어요.", `{"title":"회의","with":["부산 20도"]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("날씨 확인", "회의 잡기@book_meeting")}
			m.steps = func(req llm.Request) llmtest.Reply {
				if name == "of a tool" && req.Messages[len(req.Messages)-1].Role != llm.ToolRole {
					return llmtest.CallTool("get_weather", `{"city":"부산"}`)
				}
				return llmtest.Text(c.text)
			}
			m.args = func(req llm.Request) llmtest.Reply {
				if req.Tools[0].Name != "book_meeting" || !strings.Contains(req.Messages[len(req.Messages)-1].Content, "회의 잡기") {
					return llmtest.Text("아직 몰라요.")
				}
				return llmtest.CallTool("book_meeting", c.call)
			}
			d := newDesk(t, m, ways["step"])
			d.req.Text = "회의 잡아줘"
			d.tools.result["get_weather"] = func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{Text: "부산 20도"}, nil }
			d.tools.put(t, "book_meeting", "books a meeting", `{"type":"object","properties":{"title":{"type":"string"},"with":{"type":"array","items":{"type":"string"}}}}`, tool.Policy{})
			i, _ := d.asked("plan")
			i, _ = d.decide(i, do("accept")).asked("step")
			_, a := d.decide(i, do("accept")).asked("step")
			want := ""
			if c.want != "" {
				want = phrase.Say("ko", "agent.made_up", c.want)
			}
			if got := strings.Join(a.Notes, "\n"); got != want {
				t.Errorf("notes %q, want %q", got, want)
			}
		})
	}
}
