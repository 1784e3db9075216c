package autonomous_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/logtest"
)

// TestWhatWasDoneIsTold: a model that goes away costs what it has not done yet, and nobody
// waits until it has failed at every other todo.
func TestWhatWasDoneIsTold(t *testing.T) {
	t.Parallel()
	work := []llmtest.Reply{classified("hard", ""), todos("a", "b", "c"), llmtest.Text("result of a"), llmtest.Text("result of b"), llmtest.Text("result of c"), verdict("approved", "")}
	for _, class := range []llm.Class{llm.Overloaded, llm.RateLimited, llm.Network, llm.Timeout, llm.Auth, llm.Quota, llm.Cut, llm.ContextLength} {
		for answered := 3; answered <= len(work); answered++ { // from the second todo to the final answer
			t.Run(fmt.Sprintf("%s_after_%d", class, answered), func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, llmtest.Func(func(n int, _ llm.Request) llmtest.Reply {
					if n < answered {
						return work[n]
					}
					return llmtest.Fail(&llm.Error{Class: class})
				}))
				res := d.must("do it")
				if !strings.Contains(res.Text, "result of a") || strings.Contains(res.Text, "result of b") != (answered > 3) || d.streamed() != res.Text {
					t.Errorf("answer %q, streamed %q", res.Text, d.streamed())
				}
				if answered == 3 {
					away := class != llm.Cut && class != llm.ContextLength
					if strings.Contains(res.Text, "아직 하지 않았어요.") != away || !strings.Contains(res.Text, "언어 모델이 답하지 못했어요 (") {
						t.Errorf("answer %q", res.Text)
					}
				}
				if n := d.visited("final_answer"); n != 1 {
					t.Errorf("%d final answers", n)
				}
			})
		}
		t.Run(fmt.Sprintf("%s_before_anything", class), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Func(func(n int, _ llm.Request) llmtest.Reply {
				if n < 2 {
					return work[n]
				}
				return llmtest.Fail(&llm.Error{Class: class})
			}))
			if res, err := d.ask("do it"); llm.ClassOf(err) != class {
				t.Errorf("answer %q, %v", res.Text, err)
			}
		})
	}
}

// TestWhatWasDoneInTimeIsTold: a run whose time is up tells the todos that it has carried out, and
// the model is not asked for more.
func TestWhatWasDoneInTimeIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		work := []llmtest.Reply{classified("hard", ""), todos("a", "b", "c"), llmtest.Text("result of a")}
		m := llmtest.Func(func(n int, _ llm.Request) llmtest.Reply {
			if n < len(work) {
				return work[n]
			}
			return llmtest.Reply{Wait: make(chan struct{})} // for ever
		})
		d := newDesk(t, m)
		var log logtest.Log
		r := agent.NewRunner(log.Logger(), 10*time.Minute, time.Now, d.agent)
		req := d.request("do it", "ko")
		req.Agent = d.agent.Name()
		began := time.Now()
		res, _, err := r.Run(t.Context(), req, d.sink)
		if err != nil || !strings.Contains(res.Text, "result of a") || !strings.Contains(res.Text, "아직 하지 않았어요.") || !strings.Contains(res.Text, "너무 오래 걸렸어요") {
			t.Errorf("answer %q, %v", res.Text, err)
		}
		if took := time.Since(began); took >= 10*time.Minute || m.Count() != len(work)+1 {
			t.Errorf("%v, %d calls", took, m.Count())
		}
	})
}

// TestToolsThatWereUsedUpAreTold: a model that does nothing but call tools has not been silent, and
// a todo at which it only did that is not done.
func TestToolsThatWereUsedUpAreTold(t *testing.T) {
	t.Parallel()
	for difficulty, want := range map[string]string{
		"easy": "정해진 횟수만큼 도구를 썼지만", "medium": "정해진 횟수만큼 도구를 썼지만", "hard": "하지 못했어요: 정해진 횟수만큼 도구를 썼지만",
	} {
		t.Run(difficulty, func(t *testing.T) {
			t.Parallel()
			tools, err := tool.NewRegistry(&probe{spec: tool.Spec{Name: "look", Description: "looks", Policy: tool.Policy{ReadOnly: true}}})
			if err != nil {
				t.Fatal(err)
			}
			m := llmtest.Func(func(n int, r llm.Request) llmtest.Reply {
				switch {
				case n == 0:
					return classified(difficulty, "")
				case len(r.Tools) > 0:
					return llmtest.CallTool("look", fmt.Sprintf(`{"n":%d}`, n))
				case n == 1:
					return todos("a")
				}
				return llmtest.Fail(&llm.Error{Class: llm.Refused})
			})
			d := newDesk(t, m)
			d.cfg.Tools = tools
			d.use(m)
			if res := d.must("do it"); !strings.Contains(res.Text, want) {
				t.Errorf("answer %q", res.Text)
			}
		})
	}
}

// TestTheSameCallIsMadeOnce: a small model repeats it, laid out otherwise, until it may call no more, and then writes what cannot
// be read. It is asked for words without tools.
func TestTheSameCallIsMadeOnce(t *testing.T) {
	t.Parallel()
	look := &probe{spec: tool.Spec{Name: "look", Description: "looks", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`), Policy: tool.Policy{ReadOnly: true}}}
	tools, err := tool.NewRegistry(look)
	if err != nil {
		t.Fatal(err)
	}
	m := llmtest.Script(classified("easy", ""), llmtest.CallTool("look", `{"n":1}`), llmtest.CallTool("look", `{ "n": 1 }`),
		llmtest.Fail(&llm.Error{Class: llm.Garbage}), llmtest.Fail(&llm.Error{Class: llm.Garbage}), llmtest.Text("It is 42."))
	d := newDesk(t, m)
	d.cfg.Tools = tools
	d.use(m)
	if res := d.must("What is it?"); res.Text != "It is 42." || look.calls != 1 {
		t.Errorf("answer %q after %d calls", res.Text, look.calls)
	}
	m.AssertDone(t)
	if r := m.Requests(); r[3].ToolChoice != "none" || len(r[5].Tools) != 0 { // the third is asked again as it was
		t.Errorf("asked with tool choice %q, then with %d tools", r[3].ToolChoice, len(r[5].Tools))
	}
}
