package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/phrase"
)

func TestRejectedPlanRunsNothing(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]agent.Reply{"button": do("reject"), "with_a_reason": words("reject", "너무 비싸")} {
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

// TestNoWithAReasonRejects: the reason of a no is told.
func TestNoWithAReasonRejects(t *testing.T) {
	t.Parallel()
	d := newDesk(t, weatherMind(), everything)
	i, _ := d.asked("plan")
	res := d.decide(i, words("reject", "너무 비싸")).run()
	if d.tools.made() != "" || len(res.Interrupts) > 0 || !strings.HasSuffix(res.Text, "이유: 너무 비싸") {
		t.Errorf("%q, calls %s, %+v", res.Text, d.tools.made(), res.Interrupts)
	}
}

// TestReasonOfASkipIsRead: later steps and the answer know why a person left a step out.
func TestReasonOfASkipIsRead(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	var read []string
	m.before = func(_ int, req llm.Request) {
		for _, msg := range req.Messages {
			read = append(read, msg.Content)
		}
	}
	d := newDesk(t, m, agent.Approvals{Step: true})
	i, _ := d.asked("step")
	d.decide(i, words("skip", "부산은 안 가요")).accepted()
	if !strings.Contains(strings.Join(read, " "), "부산은 안 가요") {
		t.Errorf("the model reads %q", read)
	}
}

// TestChangesInWordsAreShown: only what takes steps away runs at once; what words change or reorder
// is shown first, and a form's lines too where more people must agree.
func TestChangesInWordsAreShown(t *testing.T) {
	t.Parallel()
	form := agent.Reply{Action: "edit", Values: map[string]string{"plan": "1. 날씨 확인"}}
	shared := form
	shared.Confirm = true
	for name, c := range map[string]struct {
		reply agent.Reply
		shown bool
	}{
		"removes": {words("edit", "2번 빼줘"), false}, "no_and_removes": {words("edit", "아니, 2번 빼줘"), false}, "reorders": {words("edit", "swap 1 and 2"), true},
		"form": {form, false}, "form_of_one_of_two": {shared, true}, "removal_of_one_of_two": {agent.Reply{Action: "edit", Text: "2번 빼줘", Confirm: true}, true},
		"model_removes": {words("edit", "메모는 필요 없으니 하지 말자"), false}, "removal_on_a_condition": {words("edit", "메모는 비가 온다고 하면 빼줘"), true}, "removal_in_question": {words("edit", "do we need the note?"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.edit = func(llm.Request) llmtest.Reply {
				return llmtest.JSON(map[string]any{"understood": true, "steps": []map[string]any{{"from": 1, "text": "날씨 확인"}}})
			}
			d := newDesk(t, m, agent.Approvals{Plan: true})
			i, _ := d.asked("plan")
			res := d.decide(i, c.reply).run()
			if shown := len(res.Interrupts) == 1 && res.Interrupts[0].Kind == "plan"; shown != c.shown || shown && d.tools.made() != "" {
				t.Errorf("asked %+v, calls %s", res.Interrupts, d.tools.made())
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
	edited := phrase.Say("ko", "orchestrator.plan.as_edited")
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather", "인사하기", "메모 남기기@write_note")}
	d := newDesk(t, m, everything)
	i, _ := d.asked("plan")
	i, a := d.decide(i, words("edit", "2번 빼줘")).asked("step")
	if stepsOf(a) != "날씨 확인:reads|메모 남기기:writes" || stateOf(a.Steps) != "running waiting" || !strings.Contains(strings.Join(a.Notes, ""), edited) {
		t.Errorf("the card after the edit: %+v", a)
	}
	_, a = d.decide(i, do("accept")).asked("step")
	if strings.Contains(strings.Join(a.Notes, ""), edited) {
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
	i, a := d.decide(i, words("edit", "메모 말고 옷차림을 추천해 주면 좋겠어")).asked("plan")
	if len(a.Notes) != 1 || d.tools.made() != "" {
		t.Errorf("what a model made of words runs unseen: %+v, calls %s", a, d.tools.made())
	}
	d.decide(i, do("accept")).run()
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
			d.decide(i, do("accept")).accepted()
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
