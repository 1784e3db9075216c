package chat_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestPlainChatTakesTwoModelCalls(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.Text("안녕하세요!"))
	d := newDesk(t, m)
	res, events := d.ask(d.request("시 한 줄 지어줘"))
	if res.Text != "안녕하세요!" || streamed(events) != "안녕하세요!" {
		t.Errorf("answer %q, streamed %q", res.Text, streamed(events))
	}
	if n := modelCalls(events); n != 2 || res.Usage.Calls != 2 {
		t.Errorf("%d model calls in the trace, %d in the usage; want 2", n, res.Usage.Calls)
	}
}

func TestDocumentQuestionCitesItsPassages(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("rag"), llmtest.Text("연차는 15일이에요 [1]. 수당도 있어요 [2][7]."))
	d := newDesk(t, m)
	res, events := d.ask(d.request("연차는 며칠이야?"))
	if strings.Contains(res.Text, "[7]") {
		t.Errorf("the invented citation stays: %q", res.Text)
	}
	if len(res.Sources) != 2 || res.Sources[0].Title != "취업규칙" || res.Sources[1].Page != 3 {
		t.Errorf("sources: %+v", res.Sources)
	}
	if n := modelCalls(events); n != 2 {
		t.Errorf("%d model calls, want 2", n)
	}
	prompt := m.Requests()[1]
	system := prompt.Messages[0].Content
	if !strings.Contains(system, "[1] 취업규칙") || !strings.Contains(system, "15일") || strings.Contains(system, "비밀") {
		t.Errorf("system prompt: %s", system)
	}
}

func TestNothingFoundIsSaidWithoutAModel(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("rag"))
	d := newDesk(t, m)
	res, events := d.ask(d.request("주차장 요금?"))
	if !strings.Contains(res.Text, "문서에는 그 내용이 없어요") || len(res.Sources) != 0 {
		t.Errorf("answer: %q", res.Text)
	}
	if n := modelCalls(events); n != 1 {
		t.Errorf("%d model calls, want 1", n)
	}
}

func TestWindowSlides(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	for turn := 1; turn <= 20; turn++ {
		_, events := d.ask(d.request(fmt.Sprintf("말 %d", turn)))
		most := 2
		if strings.Contains(fmt.Sprint(purposes(events)), "summary") {
			most = 3
		}
		if n := modelCalls(events); n > most {
			t.Fatalf("turn %d: %d model calls, at most %d", turn, n, most)
		}
		if n := len(lastPrompt(m).Messages) - 1; n > 10 {
			t.Fatalf("turn %d: %d messages in the prompt", turn, n)
		}
	}
	system := lastPrompt(m).Messages[0].Content
	if !strings.Contains(system, "1. 요약 3\n2. 요약 4\n3. 요약 5") || strings.Contains(system, "요약 2") {
		t.Errorf("the prompt shows the wrong summaries:\n%s", system)
	}
}

func TestFailedSummaryLosesNothing(t *testing.T) {
	t.Parallel()
	failing := true
	m := talker(func() bool { return failing })
	d := newDesk(t, m)
	for turn := 1; turn <= 7; turn++ {
		d.ask(d.request(fmt.Sprintf("말 %d", turn)))
	}
	if n := len(lastPrompt(m).Messages) - 1; n != 13 {
		t.Errorf("%d messages in the prompt, want all 13", n)
	}
	failing = false
	d.ask(d.request("말 8"))
	prompt := lastPrompt(m)
	if n := len(prompt.Messages) - 1; n != 5 || !strings.Contains(prompt.Messages[0].Content, "1. 요약 1") {
		t.Errorf("after the model is back: %d messages, %s", n, prompt.Messages[0].Content)
	}
}

func TestThreadSurvivesRestart(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker(nil))
	d.ask(d.request("내 이름은 철수야"))
	m := talker(nil)
	d.restart(m)
	d.ask(d.request("내 이름이 뭐라고 했지?"))
	var said []string
	for _, msg := range lastPrompt(m).Messages[1:] {
		said = append(said, msg.Content)
	}
	if got := strings.Join(said, "|"); got != "내 이름은 철수야|네.|내 이름이 뭐라고 했지?" {
		t.Errorf("the model is shown %s", got)
	}
}

func TestSameRunAgainCostsNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, talker(nil))
	req := d.request("시 한 줄 지어줘")
	first, _ := d.ask(req)
	m := talker(nil)
	d.restart(m)
	again, events := d.ask(req)
	if again.Text != first.Text || m.Count() != 0 || modelCalls(events) != 0 {
		t.Errorf("again %q with %d model calls", again.Text, m.Count())
	}
}

func TestRunGoesOnWhereItFailed(t *testing.T) {
	t.Parallel()
	down := &llm.Error{Class: llm.Overloaded, After: time.Hour}
	d := newDesk(t, llmtest.Script(route("agent"), llmtest.Fail(down)))
	req := d.request("시 한 줄 지어줘")
	_, _, err := d.try(req)
	var f *agent.Failure
	if !errors.As(err, &f) || f.Code != "model_busy" || f.After != time.Hour {
		t.Fatalf("error is %v", err)
	}
	m := llmtest.Script(llmtest.Text("다시 왔어요.")) // no second routing
	d.restart(m)
	res, _ := d.ask(req)
	if res.Text != "다시 왔어요." {
		t.Errorf("answer: %q", res.Text)
	}
	m.AssertDone(t)
}

func TestUndecidedRouterFallsBackToRetrieval(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ ask, want string }{
		"passages_fit":    {"연차는 며칠이야?", "[1]"},
		"no_passage_fits": {"시 한 줄 지어줘", "안녕하세요 [1]"}, // no passages: nothing is a citation
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
				llm.ForRoute:  func(llm.Request) llmtest.Reply { return llmtest.Text("I would say documents") },
				llm.ForRepair: func(llm.Request) llmtest.Reply { return llmtest.Text("sorry") },
				llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("안녕하세요 [1]") },
			})
			d := newDesk(t, m)
			res, _ := d.ask(d.request(c.ask))
			if !strings.Contains(res.Text, c.want) || m.Count(llm.ForRepair) != 2 {
				t.Errorf("answer %q after %d repairs", res.Text, m.Count(llm.ForRepair))
			}
		})
	}
}

// TestAnUnreadableRouteIsNoAnswer: a router that says nothing, as models that think
// it away do, leaves the answer to be written all the same.
func TestAnUnreadableRouteIsNoAnswer(t *testing.T) {
	t.Parallel()
	m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
		llm.ForRoute:  func(llm.Request) llmtest.Reply { return llmtest.Fail(&llm.Error{Class: llm.Garbage}) },
		llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("15일이에요 [1].") },
	})
	d := newDesk(t, m)
	if res, _ := d.ask(d.request("연차는 며칠이야?")); !strings.Contains(res.Text, "[1]") || len(res.Sources) != 1 {
		t.Errorf("answer %q from %d sources", res.Text, len(res.Sources))
	}
}

func TestJoiningAThreadShowsWhatWasSaid(t *testing.T) {
	t.Parallel()
	m := talker(nil)
	d := newDesk(t, m)
	req := d.request("요약해 줘")
	req.Context = []agent.Turn{{Author: "kim", Text: "금요일에 배포해요"}, {Own: true, Text: "네"}}
	d.ask(req)
	msgs := lastPrompt(m).Messages
	if len(msgs) != 4 || msgs[1].Content != "금요일에 배포해요" || msgs[1].Author != "kim" || msgs[2].Role != llm.Assistant {
		t.Errorf("messages: %+v", msgs)
	}
}

// TestModelCallsOfAMessage counts the requests of every way that a message can take, as
// docs/agents.md states them.
func TestModelCallsOfAMessage(t *testing.T) {
	t.Parallel()
	wants := func(to string) llmtest.Reply {
		return llmtest.JSON(map[string]string{"route": to, "reason": "test", "wants": "action"})
	}
	for name, c := range map[string]struct {
		script []llmtest.Reply
		says   string
		answer string
		cited  int
	}{
		"greeting":            {[]llmtest.Reply{llmtest.Text("안녕하세요!")}, "안녕", "안녕하세요!", 0},
		"talk":                {[]llmtest.Reply{route("agent"), llmtest.Text("가을이 왔네요.")}, "시 한 줄 지어줘", "가을이 왔네요.", 0},
		"tool":                {[]llmtest.Reply{route("agent"), llmtest.CallTool("double", `{"n":28044}`), llmtest.Text("56088이에요.")}, "123 * 456", "56088이에요.", 0},
		"documents":           {[]llmtest.Reply{route("rag"), llmtest.Text("연차는 15일이에요 [1].")}, "연차는 며칠이야?", "연차는 15일이에요 [1].", 1},
		"documents_and_tool":  {[]llmtest.Reply{wants("rag"), llmtest.CallTool("double", `{"n":60}`), llmtest.Text("연차는 15일이에요 [1]. 15 × 8은 120이에요.")}, "연차 규정에 따라 15 * 8 계산해줘", "15일이에요 [1]. 15 × 8은 120이에요.", 1},
		"nothing_found":       {[]llmtest.Reply{route("rag")}, "주차장 요금?", "문서에는 그 내용이 없어요", 0},
		"nothing_and_a_tool":  {[]llmtest.Reply{wants("rag"), llmtest.CallTool("double", `{"n":60}`), llmtest.Text("120이에요.")}, "주차장 요금을 두 배로 계산해줘", "120이에요.", 0},
		"two_rounds_of_tools": {[]llmtest.Reply{route("agent"), llmtest.CallTool("double", `{"n":1}`), llmtest.CallTool("double", `{"n":2}`), llmtest.Text("4")}, "두 번 두 배", "4", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(c.script...)
			d := newDesk(t, m)
			res, events := d.ask(d.request(c.says))
			m.AssertDone(t)
			if n := modelCalls(events); n != len(c.script) || !strings.Contains(res.Text, c.answer) || len(res.Sources) != c.cited {
				t.Errorf("%d model calls, %d sources, answer %q", n, len(res.Sources), res.Text)
			}
		})
	}
}
