package guide_test

import (
	"strings"
	"testing"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/logtest"
)

// TestPlainQuestionsUseTools: whoever asks for a sum or the time in the middle of planning is told it,
// by the built-in model and by one that calls the tools itself.
func TestPlainQuestionsUseTools(t *testing.T) {
	t.Parallel()
	d := newDesk(t, extractive.New())
	tools, err := tool.NewRegistry(builtin.NewCalculator(), builtin.NewClock(time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	d.cfg.Tools = tools
	d.use(extractive.New())
	for _, c := range []struct{ ask, language, want string }{
		{"12.5 * 8은?", "ko", "100"}, {"What is 15% of 240?", "en", "36"}, {"지금 몇 시야?", "ko", "09:03"}, {"what day is it today?", "en", "2026-11-21"},
	} {
		if res := d.must(d.request(c.ask, c.language)); !strings.Contains(res.Text, c.want) || d.streamed() != res.Text {
			t.Errorf("%s: %q, people saw %q", c.ask, res.Text, d.streamed())
		}
	}

	m := llmtest.Script(
		task(false), llmtest.CallTool("calculator", `{"expression":"3*14"}`),
		llmtest.CallTool("calculator", `{ "expression": "3*14" }`), // the same again is not made
		llmtest.Text("42예요."),
	)
	d.use(m)
	if res := d.must(d.request("한 달에 14달러면 석 달은 얼마야?", "ko")); res.Text != "42예요." {
		t.Errorf("answered %q", res.Text)
	}
	m.AssertDone(t)
	calls, last := 0, m.Requests()[3]
	for _, msg := range last.Messages {
		if msg.Role == llm.ToolRole {
			calls++
			if !strings.Contains(msg.Content, "42") {
				t.Errorf("the tool said %q", msg.Content)
			}
		}
	}
	if calls != 1 || len(last.Tools) != 0 {
		t.Errorf("%d calls were made, %d tools are offered after the same call was wished for again", calls, len(last.Tools))
	}

	always := llmtest.Func(func(n int, r llm.Request) llmtest.Reply {
		switch {
		case n == 0:
			return task(false)
		case len(r.Tools) > 0:
			return llmtest.CallTool("calculator", `{"expression":"`+strings.Repeat("1+", n)+`1"}`)
		}
		return llmtest.Text("여기까지예요.")
	})
	d.use(always)
	if res := d.must(d.request("계속 계산해 줘", "ko")); res.Text != "여기까지예요." {
		t.Errorf("a model that never stops ends with %q", res.Text)
	}
}

// TestWhatARunDoesWithoutIsLogged: a model that declines, runs out of its length or fills no schema
// costs no answer, so that only the log tells of it; what it wrote instead is not repeated there. The
// built-in model, which does by design without, is no news.
func TestWhatARunDoesWithoutIsLogged(t *testing.T) {
	t.Parallel()
	const words = "지수의 비밀"
	failing := func(class llm.Class) llm.Model {
		return llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
			if r.Schema != nil && class == llm.Invalid {
				return llmtest.Text(`{"` + words + `":1}`)
			}
			return llmtest.Fail(&llm.Error{Class: class, Detail: "as it says itself"})
		})
	}
	for class, want := range map[llm.Class]string{
		llm.Refused: "as it says itself", llm.Length: "as it says itself", llm.ContentFilter: "as it says itself", llm.Invalid: "guide_route", "": "",
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			var log logtest.Log
			model := llm.Model(extractive.New())
			if class != "" {
				model = failing(class)
			}
			d := newDesk(t, model)
			d.cfg.Log = log.Logger()
			d.use(model)
			_ = d.must(d.request("요리 유튜브 채널을 시작하고 싶어요", "ko"))
			told := strings.Contains(log.String(), "the run goes on without a reply of the model")
			if told != (want != "") || !strings.Contains(log.String(), want) || strings.Contains(log.String(), words) {
				t.Errorf("the log says %s", log.String())
			}
		})
	}
}

// TestAWordlessAnswerQuotesTheKnowledge: a small model may write nothing but a call that cannot be read.
func TestAWordlessAnswerQuotesTheKnowledge(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]llmtest.Reply{"empty": llmtest.Text(""), "unreadable": llmtest.Fail(&llm.Error{Class: llm.Garbage})} {
		d := newDesk(t, llmtest.Func(func(_ int, _ llm.Request) llmtest.Reply { return reply }))
		res := d.must(d.request("Canva는 무엇에 쓰는 거야?", "ko"))
		if !strings.HasPrefix(res.Text, "> ") || len(res.Sources) != 1 || res.Sources[0].Title != "Canva" || d.streamed() != res.Text {
			t.Errorf("%s: %q from %+v, people saw %q", name, res.Text, res.Sources, d.streamed())
		}
	}
}
