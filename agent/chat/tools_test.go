package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/phrase"
)

func TestToolsRunSideBySideInThreeCalls(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":2}`).And("double", `{"n":5}`), llmtest.Text("4와 10이에요."))
	d := newDesk(t, m)
	res, events := d.ask(d.request("2와 5를 두 배로"))
	if res.Text != "4와 10이에요." || modelCalls(events) != 3 || d.tool.calls != 2 {
		t.Errorf("answer %q, %d model calls, %d tool calls", res.Text, modelCalls(events), d.tool.calls)
	}
	last := m.Requests()[2].Messages
	results := last[len(last)-2:]
	if results[0].Content != "4" || results[1].Content != "10" || results[0].ToolCallID == results[1].ToolCallID {
		t.Errorf("results: %+v", results)
	}
}

func TestToolTroubleIsAnObservation(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		call llmtest.Reply
		fail error
		want string
	}{
		"tool_fails":           {llmtest.CallTool("double", `{"n":2}`), &tool.Error{Code: "unavailable", Model: "the service sleeps"}, "the service sleeps"},
		"tool_fails_in_korean": {llmtest.CallTool("double", `{"n":2}`), &tool.Error{Code: "unavailable", Model: "the service sleeps", People: phrase.Of("calc.zero")}, llm.ForPerson + "0으로 나눌 수 없어요"},
		"bad_arguments":        {llmtest.CallTool("double", `{"n":"two"}`), nil, "bad_argument"},
		"unknown_tool":         {llmtest.CallTool("duoble", `{"n":2}`), nil, "double"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(route("agent"), c.call, llmtest.Text("할 수 없었어요."))
			d := newDesk(t, m)
			d.tool.fail = c.fail
			res, _ := d.ask(d.request("두 배로"))
			last := m.Requests()[2].Messages
			if got := last[len(last)-1].Content; !strings.Contains(got, c.want) || res.Text != "할 수 없었어요." {
				t.Errorf("the model read %q, the person %q", got, res.Text)
			}
		})
	}
}

func TestEndlessToolCallsEnd(t *testing.T) {
	t.Parallel()
	m := llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
		switch {
		case req.Purpose == llm.ForRoute:
			return route("agent")
		case req.ToolChoice == "none":
			return llmtest.Text("여기까지예요.")
		}
		return llmtest.CallTool("double", fmt.Sprintf(`{"n":%d}`, n))
	})
	d := newDesk(t, m)
	res, _ := d.ask(d.request("계속"))
	if res.Text != "여기까지예요." || d.tool.calls != 5 {
		t.Errorf("answer %q after %d tool calls", res.Text, d.tool.calls)
	}
}

func TestSameCallRunsOnce(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":2}`), llmtest.CallTool("double", `{"n":2}`), llmtest.Text("4"))
	d := newDesk(t, m)
	d.ask(d.request("2를 두 배로"))
	if d.tool.calls != 1 {
		t.Errorf("%d calls, want 1", d.tool.calls)
	}
}

// TestModelThatOnlyCallsTools: one that asks for a call again and again, also when it
// may not, ends with what the call gave, after few calls of either.
func TestModelThatOnlyCallsTools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  func(n int) string
		fail  error
		tools int
		model int
		want  string

		silent bool // it says nothing at all after its first call
	}{
		"says_nothing":  {args: func(int) string { return `{"n":2}` }, tools: 1, model: 3, want: "**Doubling**\n4", silent: true},
		"repeats":       {func(int) string { return `{"n":2}` }, nil, 1, 5, "도구가 알려 준 내용을 그대로 옮길게요.\n\n**Doubling**\n4", false},
		"always_others": {func(n int) string { return fmt.Sprintf(`{"n":%d}`, n) }, nil, 5, 7, "**Doubling**\n10", false},
		"fails":         {func(int) string { return `{"n":2}` }, &tool.Error{Code: "unavailable", Model: "asleep"}, 1, 5, "답을 찾지 못했어요", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
				if req.Purpose == llm.ForRoute {
					return route("agent")
				}
				if c.silent && n > 1 {
					return llmtest.Text(" ")
				}
				return llmtest.CallTool("double", c.args(n))
			})
			d := newDesk(t, m)
			d.tool.fail = c.fail
			res, events := d.ask(d.request("2를 두 배로"))
			if d.tool.calls != c.tools || modelCalls(events) != c.model || !strings.Contains(res.Text, c.want) {
				t.Errorf("%d tool calls, %d model calls, answer %q", d.tool.calls, modelCalls(events), res.Text)
			}
		})
	}
}

func TestStoppedToolCallDoesNotSpoilTheNextPrompt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(route("agent"), llmtest.CallTool("double", `{"n":1}`), llmtest.Fail(&llm.Error{Class: llm.Refused})))
	if _, _, err := d.try(d.request("하나")); err == nil {
		t.Fatal("want an error")
	}
	m := talker(nil)
	d.restart(m)
	d.ask(d.request("둘"))
	open := map[string]bool{}
	for _, msg := range lastPrompt(m).Messages {
		for _, c := range msg.ToolCalls {
			open[c.ID] = true
		}
		delete(open, msg.ToolCallID)
	}
	if len(open) != 0 {
		t.Errorf("calls without results: %v", open)
	}
}
