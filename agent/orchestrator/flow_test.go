package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// weatherMind plans to look the weather up and to note it.
func weatherMind() *mind {
	return &mind{
		plans: []llmtest.Reply{planOf("날씨 확인@get_weather", "메모 남기기@write_note")},
		args: func(req llm.Request) llmtest.Reply {
			if req.Tools[0].Name == "write_note" {
				return llmtest.CallTool("write_note", `{"text":"맑음"}`)
			}
			return llmtest.CallTool("get_weather", `{"city":"부산"}`)
		},
		steps: func(req llm.Request) llmtest.Reply {
			last := req.Messages[len(req.Messages)-1]
			if last.Role == llm.ToolRole || len(req.Tools) == 0 {
				return llmtest.Text("결과: " + last.Content)
			}
			if strings.Contains(req.Messages[1].Content, "메모") {
				return llmtest.CallTool("write_note", `{"text":"맑음"}`)
			}
			if strings.Contains(req.Messages[1].Content, "날씨") {
				return llmtest.CallTool("get_weather", `{"city":"부산"}`)
			}
			return llmtest.Text("정리했어요.")
		},
		answer: func(llm.Request) llmtest.Reply { return llmtest.Text("부산은 맑아요. 메모했어요.") },
	}
}

func TestTaskFromClarificationToAnswer(t *testing.T) {
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
			i, a := d.asked("clarification")
			if verbs(a) != "clarify proceed" || len(a.Actions[0].Inputs) != 1 || !a.Actions[0].Words || !strings.Contains(a.Detail, "언제") {
				t.Errorf("clarification: %+v", a)
			}
			i, a = d.decide(i, agent.Reply{Action: "clarify", Values: map[string]string{"q1": "오늘"}}).asked("plan")
			if verbs(a) != "accept edit reject" || stepsOf(a) != "날씨 확인:reads|메모 남기기:writes" || a.Effect != agent.EffectWrites || a.Actions[1].Inputs[0].Value != "1. 날씨 확인\n2. 메모 남기기" {
				t.Errorf("plan: %+v", a)
			}
			i, a = d.decide(i, do("accept")).asked("step")
			if verbs(a) != "accept edit skip" || !strings.Contains(a.Detail, "부산") || a.Effect != agent.EffectReads || d.tools.made() != "" {
				t.Errorf("step: %+v, calls %s", a, d.tools.made())
			}
			if !strings.Contains(a.Question, "날씨 확인") || stateOf(a.Steps) != "running waiting" {
				t.Errorf("the card does not say where in the plan the step is: %+v", a)
			}
			i, a = d.decide(i, do("accept")).asked("step")
			if stateOf(a.Steps) != "done running" {
				t.Errorf("the card does not show how far the plan is: %+v", a.Steps)
			}
			if a.Effect != agent.EffectWrites || !strings.Contains(a.Detail, "맑음") || d.tools.made() != `get_weather{"city":"부산"}` {
				t.Errorf("step: %+v, calls %s", a, d.tools.made())
			}
			res := d.decide(i, do("accept")).run()
			if d.tools.made() != `get_weather{"city":"부산"}; write_note{"text":"맑음"}` {
				t.Errorf("calls: %s", d.tools.made())
			}
			want := map[string]string{"ko": "**2단계 중 2단계 성공**", "en": "**2 of 2 steps successful**"}[language]
			if !strings.HasPrefix(res.Text, "부산은 맑아요") || !strings.Contains(res.Text, want) || d.streamed() != res.Text {
				t.Errorf("answer %q, streamed %q", res.Text, d.streamed())
			}
			if states(d.lastPlan()) != "done done" {
				t.Errorf("the plan ends as %q", states(d.lastPlan()))
			}
			if len(res.Artifacts) != 2 || !strings.Contains(string(res.Artifacts[0].Data), "result of get_weather") {
				t.Errorf("artifacts: %+v", res.Artifacts)
			}
			if again := d.run(); again.Text != res.Text {
				t.Errorf("asked again: %q", again.Text)
			}
		})
	}
}

func TestNobodyIsAskedWhereApprovalsAreOff(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather", "정리하기")}
	d := newDesk(t, m, agent.Approvals{})
	res := d.run()
	if len(res.Interrupts) != 0 || d.tools.made() != `get_weather{"city":"부산"}` || states(d.lastPlan()) != "done done" {
		t.Errorf("%+v, calls %s, plan %s", res, d.tools.made(), states(d.lastPlan()))
	}
}
