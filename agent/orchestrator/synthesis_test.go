package orchestrator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/memory/longterm"
	"maru/rag"
)

// shelf is documents that answer everything with one passage.
type shelf struct{ err error }

func (s shelf) Search(_ context.Context, q rag.Query) ([]rag.Hit, error) {
	if s.err != nil || len(q.Scopes) == 0 {
		return nil, s.err
	}
	return []rag.Hit{{Document: rag.Document{ID: "d1", Title: "규정"}, Chunk: rag.Chunk{ID: "c1", Text: "연차는 15일이다."}, Score: 0.9}}, nil
}

func TestTalkHasDocumentsMemoryAndHistory(t *testing.T) {
	t.Parallel()
	m := &mind{
		route:  func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") },
		answer: func(llm.Request) llmtest.Reply { return llmtest.Text("15일이에요 [1]. 또 [7].") },
	}
	d := newDesk(t, m, everything)
	d.cfg.Documents = shelf{}
	d.remembering(lesson(t, longterm.KindPreference, longterm.PreferenceLesson{Type: longterm.Like, Subject: "말투", Value: "짧게"}))
	for n := range 8 {
		d.next(fmt.Sprintf("질문 %d", n)).run()
	}
	res := d.next("연차는 며칠이야?").run()
	if res.Text != "15일이에요 [1]. 또 ." && !strings.HasPrefix(res.Text, "15일이에요 [1]") || len(res.Sources) != 1 || res.Sources[0].Title != "규정" || strings.Contains(res.Text, "[7]") {
		t.Errorf("%q, %+v", res.Text, res.Sources)
	}
	last := d.model.Requests()[d.model.Count()-1]
	if s := last.Messages[0].Content; !strings.Contains(s, "연차는 15일이다") || !strings.Contains(s, "말투: 짧게") {
		t.Errorf("prompt: %s", s)
	}
	if n := len(last.Messages) - 1; n != 10 {
		t.Errorf("%d messages of the conversation", n)
	}
	if len(res.Lessons) > 0 {
		t.Errorf("a talk taught %+v", res.Lessons)
	}
}

func TestTalkGoesOnWithoutDocuments(t *testing.T) {
	t.Parallel()
	m := &mind{route: func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") }, answer: func(llm.Request) llmtest.Reply { return llmtest.Text("네!") }}
	d := newDesk(t, m, everything)
	d.cfg.Documents = shelf{errors.New("index is away")}
	d.start()
	if res := d.run(); res.Text != "네!" {
		t.Errorf("%q", res.Text)
	}
}

func TestAnswerWithoutAModelHoldsTheResults(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.answer = func(llm.Request) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: llm.Refused}) }
	d := newDesk(t, m, agent.Approvals{Plan: true})
	i, _ := d.asked("plan")
	res := d.decide(i, do("accept")).accepted()
	if !strings.Contains(res.Text, "결과를 그대로") || !strings.Contains(res.Text, "result of get_weather") || d.streamed() != res.Text {
		t.Errorf("answer %q, streamed %q", res.Text, d.streamed())
	}
}

func TestModelThatIsAwayFailsWithACode(t *testing.T) {
	t.Parallel()
	m := &mind{route: func(llm.Request) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: llm.Overloaded}) }}
	d := newDesk(t, m, everything)
	_, err := d.agent.Run(t.Context(), d.req, d.sink)
	var f *agent.Failure
	if !errors.As(err, &f) || f.Code != "model_busy" {
		t.Errorf("error %v", err)
	}
}

func TestThreadForgetsWhatIsDeleted(t *testing.T) {
	t.Parallel()
	m := &mind{route: func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") }, answer: func(llm.Request) llmtest.Reply { return llmtest.Text("비밀번호는 hunter2군요") }}
	d := newDesk(t, m, everything)
	d.req.Text = "내 비밀번호는 hunter2야"
	d.run()
	if err := d.agent.Amend(t.Context(), "thread", "m1", "", true); err != nil {
		t.Fatal(err)
	}
	d.start()
	d.next("뭐라고 했지?").run()
	for _, r := range d.model.Requests() {
		for _, msg := range r.Messages {
			if strings.Contains(msg.Content, "hunter2") {
				t.Errorf("the model was shown %q", msg.Content)
			}
		}
	}
	if err := d.agent.Amend(t.Context(), "thread", "m2", "새 질문", false); err != nil {
		t.Fatal(err)
	}
	d.next("그래서?").run()
	if last := d.model.Requests()[d.model.Count()-1]; !strings.Contains(fmt.Sprint(last.Messages), "새 질문") {
		t.Errorf("an edit was not taken over: %v", last.Messages)
	}
	if err := d.agent.Retain(t.Context(), "thread"); err != nil {
		t.Error(err)
	}
	if err := d.agent.Forget(t.Context(), "thread"); err != nil {
		t.Error(err)
	}
}

// TestWhatWasDoneIsToldWithoutAModel has the model fail after the last step, in
// every way that it has.
func TestWhatWasDoneIsToldWithoutAModel(t *testing.T) {
	t.Parallel()
	for _, class := range []llm.Class{llm.RateLimited, llm.Overloaded, llm.Timeout, llm.Network, llm.Cut, llm.Garbage, llm.Auth, llm.ContextLength, llm.Refused} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("메모 남기기@write_note")}
			m.answer = func(llm.Request) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: class}) }
			d := newDesk(t, m, agent.Approvals{Plan: true})
			i, _ := d.asked("plan")
			if res := d.decide(i, do("accept")).run(); !strings.Contains(res.Text, "단계별 결과를 그대로") || !strings.Contains(res.Text, "메모 남기기") {
				t.Errorf("%q", res.Text)
			}
		})
	}
}

// TestAModelThatGoesSilentMidwayLosesNothing has the model fail for good once the
// first of three steps has written something: that is told, nothing of it is done
// again, and the steps that were not begun are not tried against silence.
func TestAModelThatGoesSilentMidwayLosesNothing(t *testing.T) {
	t.Parallel()
	for name, approvals := range map[string]agent.Approvals{"the plan is approved": {Plan: true}, "each step is": {Plan: true, Step: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("메모 남기기@write_note", "글 다듬기", "마무리")}
			var asked atomic.Int32
			var d *desk
			gone := func(then func(llm.Request) llmtest.Reply) func(llm.Request) llmtest.Reply {
				return func(req llm.Request) llmtest.Reply {
					if d.tools.made() == "" {
						return then(req)
					}
					asked.Add(1)
					return llmtest.Fail(&llm.Error{Class: llm.Overloaded})
				}
			}
			m.args, m.steps, m.answer = gone(m.args), gone(m.steps), gone(m.answer)
			m.failure = gone(func(llm.Request) llmtest.Reply { return llmtest.Text(`{"decision":"replan","reason":"-"}`) })
			d = newDesk(t, m, approvals)
			res := d.run()
			for range 4 {
				if len(res.Interrupts) == 0 {
					break
				}
				res = d.decide(res.Interrupts[0], do("accept")).run()
			}
			if !strings.Contains(res.Text, "단계별 결과를 그대로") || !strings.Contains(res.Text, "**1. 메모 남기기**\nresult of write_note") || strings.Contains(res.Text, "\n- 1. ") {
				t.Errorf("says %q", res.Text)
			}
			if got := d.tools.made(); strings.Count(got, "write_note") != 1 {
				t.Errorf("calls: %s", got)
			}
			if n := asked.Load(); n > 5 {
				t.Errorf("a silent model was asked %d more times", n)
			}
		})
	}
}
