package orchestrator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/llm/llmtest"
	"maru/memory/longterm"
	"maru/memory/longterm/longtermtest"
)

// remembering gives the desk a memory, with what its person taught it before.
func (d *desk) remembering(lessons ...longterm.Lesson) *longterm.Memory {
	d.t.Helper()
	m := longterm.New(longterm.Config{Store: longtermtest.NewStore(), Now: func() time.Time { return noon }})
	d.cfg.Memory = m
	for n, l := range lessons {
		if _, err := m.Take(d.t.Context(), d.owner(), fmt.Sprintf("earlier%d", n), noon.Add(-time.Hour), []longterm.Lesson{l}); err != nil {
			d.t.Fatal(err)
		}
	}
	d.start()
	return m
}

func (d *desk) owner() longterm.Owner {
	return longterm.Owner{Person: d.req.User.ID, Scopes: d.req.Scopes, Home: d.req.Home}
}

// learn takes in what a run taught, as after its answer is delivered.
func (d *desk) learn(m *longterm.Memory, res agent.Result) {
	d.t.Helper()
	var list []longterm.Lesson
	for _, l := range res.Lessons {
		list = append(list, longterm.Lesson(l))
	}
	if _, err := m.Take(d.t.Context(), d.owner(), d.req.Run, noon, list); err != nil {
		d.t.Fatal(err)
	}
}

func lesson(t *testing.T, kind longterm.Kind, data any) longterm.Lesson {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return longterm.Lesson{Kind: string(kind), Data: raw}
}

// answeredBefore are lessons of an answer that was used again some times.
func answeredBefore(t *testing.T, task string, reused int) []longterm.Lesson {
	t.Helper()
	list := []longterm.Lesson{lesson(t, longterm.KindClarification, longterm.ClarificationLesson{
		Session: "old", Query: task, Questions: []string{"언제 날씨인가요?"}, Answer: "항상 오늘이요", Before: 0.2, After: 0.9, Success: true,
	})}
	for range reused {
		list = append(list, lesson(t, longterm.KindClarification, longterm.ClarificationLesson{Session: "old", Reused: true, Success: true}))
	}
	return list
}

func unclearMind() *mind {
	m := weatherMind()
	m.clarity = []llmtest.Reply{clear(0.3, "언제 날씨인가요?"), clear(0.9)}
	return m
}

func TestEarlierAnswersAreSuggested(t *testing.T) {
	t.Parallel()
	d := newDesk(t, unclearMind(), agent.Approvals{Clarification: true, Plan: true})
	memory := d.remembering(answeredBefore(t, d.req.Text, 1)...)
	i, a := d.asked("clarification")
	if len(a.Suggestions) != 1 || a.Suggestions[0].Label != "항상 오늘이요" || verbs(a) != "clarify proceed reuse" {
		t.Fatalf("%+v", a)
	}
	i, _ = d.decide(i, agent.Reply{Action: "reuse", Suggestion: a.Suggestions[0].Value}).asked("plan")
	if prompt := d.model.Requests()[d.model.Count()-1].Messages[0].Content; !strings.Contains(prompt, "항상 오늘이요") {
		t.Errorf("the planner does not know the answer: %s", prompt)
	}
	d.learn(memory, d.decide(i, do("accept")).accepted())
	hits, err := memory.Clarifications.Search(t.Context(), d.owner(), d.req.Text, 0)
	if err != nil || len(hits) != 1 || hits[0].Data.ReuseCount != 2 {
		t.Errorf("%+v, %v", hits, err)
	}
}

func TestSuggestionOfSomebodyElseIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, unclearMind(), agent.Approvals{Clarification: true})
	d.remembering(answeredBefore(t, d.req.Text, 1)...)
	i, _ := d.asked("clarification")
	d.decide(i, agent.Reply{Action: "reuse", Suggestion: "forged"})
	if _, err := d.agent.Run(t.Context(), d.req, d.sink); err == nil {
		t.Error("a suggestion that was not made was taken")
	}
	d.req.Decisions = nil
	if again, _ := d.asked("clarification"); again.ID != i.ID {
		t.Error("the question did not stay")
	}
}

// TestSureAnswersAreAppliedAndCanBeTakenBack uses an answer that was right five
// times without asking.
func TestSureAnswersAreAppliedAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	t.Run("told_on_the_card", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, unclearMind(), everything)
		memory := d.remembering(answeredBefore(t, d.req.Text, 6)...)
		i, a := d.asked("plan")
		if len(a.Notes) == 0 || !strings.Contains(a.Notes[0], "항상 오늘이요") || !strings.HasSuffix(verbs(a), "undo") {
			t.Fatalf("%+v", a)
		}
		i, a = d.decide(i, do("undo")).asked("clarification")
		if !strings.Contains(a.Detail, "언제") || len(a.Notes) != 1 {
			t.Errorf("%+v", a)
		}
		i, a = d.decide(i, words("clarify", "이번에는 내일")).asked("plan")
		for _, r := range d.model.Requests() {
			if r.Schema != nil && r.Schema.Name == "plan" {
				if last := r.Messages[0].Content; strings.Contains(last, "이번에는 내일") && strings.Contains(last, "항상 오늘이요") {
					t.Error("the answer that was taken back is still used")
				}
			}
		}
		if strings.Contains(strings.Join(a.Notes, ""), "항상 오늘이요") {
			t.Errorf("notes %q", a.Notes)
		}
		d.learn(memory, d.decide(i, do("reject")).run())
		hits, err := memory.Clarifications.Search(t.Context(), d.owner(), d.req.Text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if h.Data.Session == "old" && h.Data.SuccessRate == 1 {
				t.Error("taking it back taught nothing")
			}
		}
	})
	t.Run("told_in_the_answer", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, unclearMind(), agent.Approvals{Clarification: true})
		d.mind.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
		d.remembering(answeredBefore(t, d.req.Text, 6)...)
		if res := d.run(); !strings.Contains(res.Text, "항상 오늘이요") || !strings.Contains(res.Text, "지난 답 빼고 다시") {
			t.Errorf("answer %q", res.Text)
		}
		d.mind.clarity = []llmtest.Reply{clear(0.3, "언제 날씨인가요?")}
		d.next("지난 답 빼고 다시 해줘").start()
		_, a := d.asked("clarification")
		if !strings.Contains(a.Detail, "언제") {
			t.Errorf("%+v", a)
		}
	})
	t.Run("not_when_memory_is_off", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, unclearMind(), everything)
		d.remembering(answeredBefore(t, d.req.Text, 6)...)
		d.req.NoMemory = true
		if _, a := d.asked("clarification"); len(a.Suggestions) > 0 {
			t.Errorf("%+v", a)
		}
	})
}

// TestSureAnswersOfOtherTasksAreOnlyOffered: what was answered six times for one task is a button for any other, and for
// the same one when something else is asked.
func TestSureAnswersOfOtherTasksAreOnlyOffered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ task, question string }{
		"same_but_dated": {"이번 주 부산 날씨를 알아보고 메모해 줘", "언제 날씨인가요?"},
		"same":           {"부산 날씨를 알아보고 메모해 줘", "언제 날씨인가요?"},
		"same_politely":  {"혹시 부산 날씨 알아보고 메모해 주실 수 있나요?", "언제 날씨인가요?"},
		"other_time":     {"내일 부산 날씨를 알아보고 메모해 줘", "언제 날씨인가요?"},
		"other_object":   {"부산 미세먼지를 알아보고 메모해 줘", "언제 날씨인가요?"},
		"other_place":    {"서울 날씨를 알아보고 메모해 줘", "언제 날씨인가요?"},
		"other_person":   {"김 대리에게 부산 날씨를 알아보고 메모해 줘", "언제 날씨인가요?"},
		"denied":         {"부산 날씨를 알아보고 메모하지 마", "언제 날씨인가요?"},
		"deleted":        {"부산 날씨 메모를 지워 줘", "언제 날씨인가요?"},
		"other_question": {"부산 날씨를 알아보고 메모해 줘", "누구에게 알릴까요?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, unclearMind(), everything)
			d.mind.clarity = []llmtest.Reply{clear(0.3, c.question), clear(0.9)}
			if name == "same_but_dated" { // the week of the answers is over
				d.req.Text = c.task
			}
			d.remembering(answeredBefore(t, d.req.Text, 6)...)
			d.req.Text = c.task
			if name == "same" || name == "same_politely" {
				if _, a := d.asked("plan"); !strings.HasSuffix(verbs(a), "undo") || !strings.Contains(strings.Join(a.Notes, ""), "항상 오늘이요") {
					t.Errorf("it is not applied, or not shown: %+v", a)
				}
				return
			}
			if i, a := d.asked("clarification"); len(a.Suggestions) != 1 || a.Suggestions[0].Label != "항상 오늘이요" {
				t.Errorf("it is not offered: %s %+v", i.Kind, a)
			}
		})
	}
}

// TestClarificationIsMeasuredAndKeptOnce looks at what a run teaches.
func TestClarificationIsMeasuredAndKeptOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, unclearMind(), agent.Approvals{Clarification: true, Plan: true})
	memory := d.remembering()
	i, _ := d.asked("clarification")
	i, _ = d.decide(i, words("clarify", "오늘 오후")).asked("plan")
	res := d.decide(i, words("edit", "2번 빼줘")).run()
	d.learn(memory, res)
	d.learn(memory, d.run()) // delivered twice
	hits, err := memory.Clarifications.All(t.Context(), d.owner())
	if err != nil || len(hits) != 1 || hits[0].Data.Answer != "오늘 오후" || hits[0].Data.Before != 0.3 || hits[0].Data.After != 0.9 || hits[0].Record.Samples != 1 {
		t.Errorf("%+v, %v", hits, err)
	}
	plans, err := memory.Plans.All(t.Context(), d.owner())
	if err != nil || len(plans) != 1 || len(plans[0].Data.Original) != 2 || len(plans[0].Data.Final) != 1 || !plans[0].Data.WasEdited || plans[0].Data.SuccessCount != 1 {
		t.Errorf("%+v, %v", plans, err)
	}
	tools, err := memory.Tools.All(t.Context(), d.owner())
	if err != nil || len(tools) != 1 || tools[0].Data.Tool != "get_weather" || tools[0].Data.Optimal["city"] != "부산" {
		t.Errorf("%+v, %v", tools, err)
	}
	decisions, err := memory.Behaviors.All(t.Context(), d.owner())
	if err != nil || len(decisions) != 1 || decisions[0].Data.Actions[longterm.Edited] != 1 || decisions[0].Data.MeanMillis != 60_000 {
		t.Errorf("%+v, %v", decisions, err)
	}
}

// TestNothingOfOthersIsLearnt lets somebody else decide, and tools say things.
func TestNothingOfOthersIsLearnt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, unclearMind(), agent.Approvals{Clarification: true, Plan: true})
	d.remembering()
	i, _ := d.asked("clarification")
	d.decide(i, words("clarify", "somebody else's words"))
	d.req.Decisions[0].By = "slack/T/U2"
	i, _ = d.asked("plan")
	d.decide(i, words("edit", "2번 빼줘"))
	d.req.Decisions[0].By = "slack/T/U2"
	for _, l := range d.run().Lessons {
		if strings.Contains(string(l.Data), "somebody else") || strings.Contains(string(l.Data), "result of") || l.Kind == string(longterm.KindBehavior) || l.Kind == string(longterm.KindPlan) {
			t.Errorf("%s: %s", l.Kind, l.Data)
		}
	}
}

// TestPlansFollowThoseThatWentWell plans after an earlier plan, and says so.
func TestPlansFollowThoseThatWentWell(t *testing.T) {
	t.Parallel()
	for samples, want := range map[int]string{1: "79%", 2: "85%", 5: "100%"} {
		t.Run(fmt.Sprint(samples), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, weatherMind(), agent.Approvals{Plan: true})
			var list []longterm.Lesson
			for range samples {
				list = append(list, lesson(t, longterm.KindPlan, longterm.PlanLesson{
					Query: d.req.Text, Final: []longterm.Step{{Text: "기상청 먼저 보기", Tool: "get_weather"}}, Success: true,
				}))
			}
			d.remembering(list...)
			_, a := d.asked("plan")
			if !strings.Contains(strings.Join(a.Notes, "\n"), want) {
				t.Errorf("notes %q, want %s", a.Notes, want)
			}
			prompt := d.model.Requests()[d.model.Count()-1].Messages[0].Content
			if !strings.Contains(prompt, "기상청 먼저 보기 [get_weather]") {
				t.Errorf("the planner was not told: %s", prompt)
			}
			for _, e := range d.events {
				if e.Kind == agent.EventMemory && strings.Contains(string(e.Data), `"kind":"plan"`) {
					return
				}
			}
			t.Error("the card is not told what was used")
		})
	}
}
