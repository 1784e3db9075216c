package chat_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/tool/builtin"
	"maru/agent/workflow"
	"maru/logtest"
)

// TestWhatToolsGaveIsToldWhenTheModelFails: they may have done something, which must not be done
// again. Where nothing was done, or the model declines, the failure itself is told.
func TestWhatToolsGaveIsToldWhenTheModelFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after int // calls of the model that succeed
		class llm.Class
		want  string // "" is an error
	}{
		"at_once":        {1, llm.Overloaded, ""},
		"after_a_tool":   {2, llm.Overloaded, "언어 모델이 답하지 못했어요 (지금 너무 바빠요). 도구가 알려 준 내용을 그대로 옮길게요.\n\n"},
		"without_a_key":  {2, llm.Auth, "언어 모델이 답하지 못했어요 ("},
		"declines":       {2, llm.Refused, ""},
		"will_not_write": {2, llm.ContentFilter, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
				switch {
				case n >= c.after:
					return llmtest.Fail(&llm.Error{Class: c.class})
				case req.Purpose == llm.ForRoute:
					return route("agent")
				}
				return llmtest.CallTool("double", `{"n":21}`)
			}))
			res, _, err := d.try(d.request("21의 두 배"))
			if (err == nil) != (c.want != "") || !strings.Contains(res.Text, c.want) || err == nil && !strings.Contains(res.Text, "42") {
				t.Errorf("answer %q, %v", res.Text, err)
			}
		})
	}
}

// TestAnswersWithoutToolsWhatItCannotCall: a model whose calls cannot be read is asked once more, without tools. If that
// fails as well, the first failure is told.
func TestAnswersWithoutToolsWhatItCannotCall(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]llmtest.Reply{
		"answers": llmtest.Text("안녕하세요!"),
		"fails":   llmtest.Fail(&llm.Error{Class: llm.BadRequest, Status: 400}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
				switch {
				case req.Purpose == llm.ForRoute:
					return route("agent")
				case len(req.Tools) > 0:
					return llmtest.Fail(&llm.Error{Class: llm.Garbage})
				}
				return second
			}))
			res, _, err := d.try(d.request("시 한 줄 지어줄래?"))
			if name == "answers" && (err != nil || res.Text != "안녕하세요!" || res.Usage.Calls != 3) {
				t.Errorf("answer %q in %d calls, %v", res.Text, res.Usage.Calls, err)
			}
			if name == "fails" && llm.ClassOf(err) != llm.Garbage {
				t.Errorf("answer %q, %v", res.Text, err)
			}
		})
	}
}

// TestWhatToolsGaveIsToldWhenTheTimeIsUp: as for a model that fails.
func TestWhatToolsGaveIsToldWhenTheTimeIsUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
			switch {
			case n > 1:
				return llmtest.Reply{Wait: make(chan struct{})} // for ever
			case req.Purpose == llm.ForRoute:
				return route("agent")
			}
			return llmtest.CallTool("double", `{"n":21}`)
		}))
		var log logtest.Log
		req := d.request("21의 두 배")
		req.Agent = d.agent.Name()
		res, _, err := agent.NewRunner(log.Logger(), time.Minute, time.Now, d.agent).Run(t.Context(), req, nil)
		if err != nil || !strings.Contains(res.Text, "너무 오래 걸렸어요") || !strings.Contains(res.Text, "42") {
			t.Errorf("answer %q, %v", res.Text, err)
		}
	})
}

// TestAnUnreadableReplyAfterSearches: the answer is the sentence that answers, or that the model failed and no
// sentence answers: a model that says nothing has not read that the documents don't. With results
// of other tools, after another failure or without a search, the answer reports the model's failure.
func TestAnUnreadableReplyAfterSearches(t *testing.T) {
	t.Parallel()
	const absent, failed = "언어 모델이 답하지 못했고 (알아볼 수 없는 응답을 보냈어요), 문서에서도", "언어 모델이 답하지 못했어요"
	nothing := llmtest.CallTool("search_documents", `{"query":"주차"}`)
	for name, c := range map[string]struct {
		calls llmtest.Reply
		class llm.Class
		want  string // "" is an error
	}{
		"found_nothing":    {nothing, llm.Garbage, absent},
		"one_call_is_bad":  {nothing.And("search_documents", `{}`), llm.Garbage, absent},
		"found_another":    {nothing.And("search_documents", `{"query":"연차"}`), llm.Garbage, absent},
		"another_tool_too": {nothing.And("double", `{"n":21}`), llm.Garbage, failed},
		"no_search":        {llmtest.CallTool("search_documents", `{}`), llm.Garbage, ""},
		"overloaded":       {nothing, llm.Overloaded, failed},
		"declines":         {nothing, llm.Refused, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
				switch {
				case req.Purpose == llm.ForRoute:
					return route("agent")
				case n > 1:
					return llmtest.Fail(&llm.Error{Class: c.class})
				}
				return c.calls
			}))
			res, events, err := d.try(d.request("주차는 어디에 해?"))
			if (err == nil) != (c.want != "") || !strings.Contains(res.Text, c.want) {
				t.Fatalf("answer %q, %v", res.Text, err)
			}
			if c.want == absent && (strings.Contains(res.Text, failed) || !strings.Contains(res.Text, "취업규칙") || streamed(events) != res.Text) {
				t.Errorf("answer %q, streamed %q", res.Text, streamed(events))
			}
		})
	}
}

// TestAWordlessReplyQuotesThePassage: where the model writes nothing, the question again, or only calls that are no longer allowed, the sentence of
// its passages that answers is the answer, with its source.
func TestAWordlessReplyQuotesThePassage(t *testing.T) {
	t.Parallel()
	search := llmtest.CallTool("search_documents", `{"query":"연차"}`)
	for name, c := range map[string]struct {
		way   string
		first llmtest.Reply
		then  llmtest.Reply
	}{
		"found_by_itself":   {"agent", search, llmtest.Fail(&llm.Error{Class: llm.Garbage})},
		"calls_without_end": {"agent", search, search},
		"echoes":            {"agent", search, llmtest.Text("[1] 연차 휴가 며칠이야?")},
		"echoes_there":      {"rag", llmtest.Text("연차 휴가는 며칠입니까? [2]"), llmtest.Text("")},
		"routed_there":      {"rag", llmtest.Fail(&llm.Error{Class: llm.Garbage}), llmtest.Fail(&llm.Error{Class: llm.Garbage})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
				switch {
				case req.Purpose == llm.ForRoute:
					return route(c.way)
				case len(req.Messages) <= 2:
					return c.first
				}
				return c.then
			}))
			res, events, err := d.try(d.request("연차 휴가는 며칠이야?"))
			if err != nil || !strings.Contains(res.Text, "연차 휴가는 1년에 15일이다. [1]") || len(res.Sources) != 1 || streamed(events) != res.Text {
				t.Errorf("answer %q from %+v, streamed %q, %v", res.Text, res.Sources, streamed(events), err)
			}
		})
	}
}

// TestAComputedValueIsTold also by a model that only says how to compute it.
func TestAComputedValueIsTold(t *testing.T) {
	t.Parallel()
	for draft, want := range map[string]string{
		"To find it, you can use the calculator.": "To find it, you can use the calculator.\n\n2480 * 0.175 = 434",
		"It is 434.":    "It is 434.",
		"It is **434**": "It is **434**",
	} {
		model := llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
			switch {
			case req.Purpose == llm.ForRoute:
				return route("agent")
			case n == 1:
				return llmtest.CallTool("calculator", `{"expression":"2480 * 0.175"}`)
			}
			return llmtest.Text(draft)
		})
		d := newDesk(t, model)
		d.more = []tool.Tool{builtin.NewCalculator()}
		d.restart(model)
		res, events, err := d.try(d.request("What is 17.5% of 2,480?"))
		if err != nil || res.Text != want || streamed(events) != want {
			t.Errorf("answer %q, streamed %q, %v", res.Text, streamed(events), err)
		}
	}
}

// TestThoughtsWithoutAnAnswer: people read that the model returned only thoughts, not that the documents don't say. The nearest
// passages follow, and the notice that a named document is missing.
func TestThoughtsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	const unworded = "언어 모델이 답하지 못했고 (생각만 하고 답을 쓰지 않았어요)"
	for question, c := range map[string]struct{ way, want, not string }{
		"연차 담당 부서의 내선 번호가 뭐야?":        {"rag", unworded, ""},
		"tag:hr 연차 담당 부서의 내선 번호가 뭐야?": {"rag", unworded, "맞는 문서에는"},
		"없는지침의 연차 내선 번호가 뭐야?":         {"rag", "「없는지침」", ""},
		"시 한 줄 지어줄래?":                 {"agent", "", ""},
	} {
		d := newDesk(t, llmtest.Func(func(_ int, req llm.Request) llmtest.Reply {
			if req.Purpose == llm.ForRoute {
				return route(c.way)
			}
			return llmtest.Fail(&llm.Error{Class: llm.Garbage, Err: llm.ErrOnlyThoughts})
		}))
		res, _, err := d.try(d.request(question))
		if c.way == "rag" && (!strings.HasPrefix(res.Text, unworded) || !strings.Contains(res.Text, c.want) || c.not != "" && strings.Contains(res.Text, c.not)) {
			t.Errorf("%s: answer %q, %v", question, res.Text, err)
		}
		var failed *agent.Failure
		if c.way == "agent" && (!errors.As(workflow.Failure(err), &failed) || failed.Code != "model_thoughts") {
			t.Errorf("without: answer %q, %v", res.Text, err)
		}
	}
}
