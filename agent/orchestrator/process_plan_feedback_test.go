package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

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

// A no with what people have against the plan is a rejection with that reason; a no
// before what they want instead is an edit, or is asked about.
func TestNoWithAReasonRejects(t *testing.T) {
	t.Parallel()
	for said, reason := range map[string]string{
		"아니, 너무 비싸": "너무 비싸", "아니요 비용이 너무 많이 들어요.": "비용이 너무 많이 들어요.", "싫어요, 이제 필요 없어요": "이제 필요 없어요", "안 돼, 위험해": "위험해",
		"취소해 주세요, 예산이 없어요": "예산이 없어요", "거절: 담당자가 휴가예요": "담당자가 휴가예요", "아니 생각이 바뀌었어": "생각이 바뀌었어",
		"no, this costs too much": "this costs too much", "No. It is not worth it!": "It is not worth it!", "nope, I changed my mind": "I changed my mind",
		"reject: the budget is spent": "the budget is spent", "cancel it because the client left": "the client left", "don't, it's too risky": "it's too risky",
		"no, we don't need this": "we don't need this",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), everything)
			i, _ := d.asked("plan")
			res := d.decide(i, words("edit", said)).run()
			if d.tools.made() != "" || len(res.Interrupts) > 0 || !strings.Contains(res.Text, "거절") || !strings.HasSuffix(res.Text, "이유: "+reason) {
				t.Errorf("%q, calls %s, %+v", res.Text, d.tools.made(), res.Interrupts)
			}
		})
	}
	for _, said := range []string{
		"no, use the cheaper one", "no, that is too expensive, use the cheaper one", "no, it is Tuesday", "no, the second is too long", "no, too expensive: take the train",
		"no, is it too expensive?", "cancel, use the other one", "no, this should not be that expensive",
		"아니, 더 싼 걸로 해줘", "아니 너무 비싸니까 싼 거 써", "아니, 너무 비싸서 다른 데로 부탁해요", "아니요, 서울이에요", "아니면 너무 비싸?", "취소, 대신 내일 해줘", "아니 둘째는 너무 길어, 마지막만 해",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), everything)
			i, _ := d.asked("plan")
			if _, a := d.decide(i, words("edit", said)).asked("plan"); len(a.Notes) != 1 || len(a.Steps) != 2 {
				t.Errorf("%+v", a)
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
			res := d.decide(i, c.reply).accepted()
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

// Where steps are asked about, the first card after an edit shows the plan as it
// is now, and says so; later ones do not.
func TestEditedPlanIsShownWithItsFirstStep(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather", "인사하기", "메모 남기기@write_note")}
	d := newDesk(t, m, everything)
	i, _ := d.asked("plan")
	i, a := d.decide(i, words("edit", "2번 빼줘")).asked("step")
	if stepsOf(a) != "날씨 확인:reads|메모 남기기:writes" || stateOf(a.Steps) != "running waiting" || !strings.Contains(strings.Join(a.Notes, ""), "고친 계획") {
		t.Errorf("the card after the edit: %+v", a)
	}
	_, a = d.decide(i, do("accept")).asked("step")
	if len(a.Notes) > 0 {
		t.Errorf("it is said again: %q", a.Notes)
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

// Words that say another deed than the tool does are not run unseen.
func TestNewWordsWithTheOldToolAreAskedAboutAgain(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.retool = func(llm.Request) llmtest.Reply { return llmtest.Text("I cannot say") }
	d := newDesk(t, m, agent.Approvals{Plan: true})
	i, _ := d.asked("plan")
	i, a := d.decide(i, words("edit", "2번을 일기를 남기기로 바꿔줘")).asked("plan")
	if len(a.Notes) == 0 || !strings.Contains(a.Notes[0], "일기를 남기기") || stepsOf(a) != "날씨 확인:reads|일기를 남기기:writes" || d.tools.made() != "" {
		t.Errorf("%+v, calls %s", a, d.tools.made())
	}
	if d.decide(i, do("accept")).accepted(); d.tools.made() == "" {
		t.Error("approved then, and nothing was done")
	}
}

// What is said of words that change nothing fits the plan that they are about.
func TestEditOfAPlanOfOneStep(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][2]string{
		"1번 빼고":        {"하나도 남지 않아요", "leave no step"},
		"1번 말고":        {"하나도 남지 않아요", "leave no step"},
		"2번 빼고":        {"2번 단계는 없어요. 위 계획은 모두 1단계", "no step 2: the plan above has 1 step."},
		"drop step 3":  {"3번 단계는 없어요", "no step 3"},
		"음 글쎄":         {"“1. …”처럼", "as in “1. …”"},
		"좀 더 자세하게 해 봐": {"“1. …”처럼", "as in “1. …”"},
	} {
		for i, sentence := range want {
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
			d := newDesk(t, m, agent.Approvals{Plan: true})
			if i == 1 {
				d.english()
			}
			q, _ := d.asked("plan")
			_, a := d.decide(q, words("edit", said)).asked("plan")
			if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], sentence) || strings.Contains(a.Notes[0], "2번 빼줘") || len(a.Steps) != 1 {
				t.Errorf("%q: %q, want %q", said, a.Notes, sentence)
			}
		}
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
			d.decide(i, words("edit", "네")).accepted()
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
