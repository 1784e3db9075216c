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

func TestSimpleChatIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	m := &mind{
		route:  func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") },
		answer: func(llm.Request) llmtest.Reply { return llmtest.Text("안녕하세요, 지수 님!") },
	}
	d := newDesk(t, m, everything)
	d.req.Text = "안녕?"
	res := d.run()
	if res.Text != "안녕하세요, 지수 님!" || d.streamed() != res.Text || d.model.Count() != 2 || d.visited("dynamic_planning") != 0 {
		t.Errorf("%q, streamed %q, %d calls", res.Text, d.streamed(), d.model.Count())
	}
	if len(res.Artifacts) != 0 {
		t.Error("a talk has no files")
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
			i, a = d.decide(i, do("accept")).asked("step")
			if a.Effect != agent.EffectWrites || !strings.Contains(a.Detail, "맑음") || d.tools.made() != `get_weather{"city":"부산"}` {
				t.Errorf("step: %+v, calls %s", a, d.tools.made())
			}
			res := d.decide(i, do("accept")).run()
			if d.tools.made() != `get_weather{"city":"부산"}; write_note{"text":"맑음"}` {
				t.Errorf("calls: %s", d.tools.made())
			}
			want := map[string]string{"ko": "**2단계 중 2단계 성공**", "en": "**2 steps, 2 successful**"}[language]
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

func TestWhatWritesNeverRunsUnasked(t *testing.T) {
	t.Parallel()
	for name, asks := range map[string]agent.Approvals{"off": {}, "auto_step": {AutoStep: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), asks)
			res := d.run()
			if strings.Contains(d.tools.made(), "write_note") || states(d.lastPlan()) != "done failed" {
				t.Errorf("calls %s, plan %s", d.tools.made(), states(d.lastPlan()))
			}
			if !strings.Contains(res.Text, "승인이 필요한") {
				t.Errorf("answer %q", res.Text)
			}
		})
	}
	t.Run("clarification_only_asks_for_the_step", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, weatherMind(), agent.Approvals{Clarification: true})
		_, a := d.asked("step")
		if a.Effect != agent.EffectWrites || strings.Contains(d.tools.made(), "write_note") {
			t.Errorf("asked %+v after %s", a, d.tools.made())
		}
	})
	t.Run("the_plan_named_it", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, weatherMind(), agent.Approvals{Plan: true})
		i, _ := d.asked("plan")
		d.decide(i, do("accept")).run()
		if !strings.Contains(d.tools.made(), "write_note") {
			t.Errorf("calls %s", d.tools.made())
		}
	})
}

func TestRejectedPlanRunsNothing(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]agent.Reply{"button": do("reject"), "in_words": words("edit", "취소해줘")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), everything)
			i, _ := d.asked("plan")
			res := d.decide(i, reply).run()
			if d.tools.made() != "" || !strings.Contains(res.Text, "거절") || d.streamed() != res.Text {
				t.Errorf("%q, calls %s", res.Text, d.tools.made())
			}
		})
	}
}

func TestEditedPlanIsWhatRuns(t *testing.T) {
	t.Parallel()
	onlyPlan := agent.Approvals{Plan: true}
	for name, c := range map[string]struct {
		reply agent.Reply
		want  string
		calls string
	}{
		"form":          {agent.Reply{Action: "edit", Values: map[string]string{"plan": "1. 날씨 확인"}}, "날씨 확인", `get_weather{"city":"부산"}`},
		"numbered":      {words("edit", "① 날씨 확인"), "날씨 확인", `get_weather{"city":"부산"}`},
		"simple_words":  {words("edit", "2번 빼줘"), "날씨 확인", `get_weather{"city":"부산"}`},
		"english_words": {words("edit", "swap 1 and 2"), "메모 남기기|날씨 확인", `write_note{"text":"맑음"}; get_weather{"city":"부산"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), onlyPlan)
			i, _ := d.asked("plan")
			res := d.decide(i, c.reply).run()
			var shown []string
			for _, s := range d.lastPlan().Steps {
				shown = append(shown, s.Text)
			}
			if strings.Join(shown, "|") != c.want || d.tools.made() != c.calls || len(res.Interrupts) > 0 {
				t.Errorf("shown %q, calls %s, %+v", shown, d.tools.made(), res.Interrupts)
			}
		})
	}
}

func TestEditByTheModel(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.edit = func(req llm.Request) llmtest.Reply {
		return llmtest.JSON(map[string]any{"understood": true, "steps": []map[string]any{{"from": 1, "text": "날씨 확인"}, {"from": 0, "text": "옷차림 추천"}}})
	}
	m.retool = func(llm.Request) llmtest.Reply { return llmtest.JSON(map[string]any{"tools": []string{""}}) }
	d := newDesk(t, m, agent.Approvals{Plan: true})
	i, _ := d.asked("plan")
	d.decide(i, words("edit", "메모 말고 옷차림을 추천해 주면 좋겠어")).run()
	if p := d.lastPlan(); len(p.Steps) != 2 || p.Steps[1].Text != "옷차림 추천" || d.tools.made() != `get_weather{"city":"부산"}` {
		t.Errorf("%+v, calls %s", p, d.tools.made())
	}
}

func TestRiskierEditNeedsASecondDecision(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
	m.retool = func(llm.Request) llmtest.Reply { return llmtest.JSON(map[string]any{"tools": []string{"run_code"}}) }
	d := newDesk(t, m, agent.Approvals{Plan: true})
	i, _ := d.asked("plan")
	i, a := d.decide(i, words("edit", "마지막에 스크립트 실행 추가해줘")).asked("plan")
	if a.Effect != agent.EffectExecutes || len(a.Notes) == 0 || !strings.Contains(a.Notes[0], "코드를 실행") || len(a.Steps) != 2 || d.tools.made() != "" {
		t.Errorf("%+v, calls %s", a, d.tools.made())
	}
	d.decide(i, do("reject")).run()
	if d.tools.made() != "" {
		t.Errorf("calls %s", d.tools.made())
	}
}

func TestEditThatIsNotUnderstoodKeepsTheQuestion(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]agent.Reply{
		"gibberish": words("edit", "음 글쎄"), "empty": words("edit", " "), "nothing_left": words("edit", "1, 2번 빼줘"),
		"too_many": words("edit", strings.Repeat("- x\n", 13)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), agent.Approvals{Plan: true})
			first, _ := d.asked("plan")
			i, a := d.decide(first, reply).asked("plan")
			if len(a.Notes) != 1 || len(a.Steps) != 2 || i.ID == first.ID {
				t.Errorf("%+v", a)
			}
			d.decide(i, words("edit", "네")).run()
			if !strings.Contains(d.tools.made(), "write_note") {
				t.Errorf("calls %s", d.tools.made())
			}
		})
	}
	t.Run("not_for_ever", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, weatherMind(), agent.Approvals{Plan: true})
		res := d.run()
		for n := 0; len(res.Interrupts) > 0; n++ {
			if n > 20 {
				t.Fatal("the question never ends")
			}
			res = d.decide(res.Interrupts[0], words("edit", "음")).run()
		}
		if !strings.Contains(res.Text, "정하지 못해서") || d.tools.made() != "" {
			t.Errorf("%q, calls %s", res.Text, d.tools.made())
		}
	})
}

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
		d.decide(i, words("edit", "서울로 해줘")).asked("step")
		if d.tools.made() != `get_weather{"city":"서울"}` {
			t.Errorf("calls %s", d.tools.made())
		}
	})
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
