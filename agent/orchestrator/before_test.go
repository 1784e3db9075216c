package orchestrator_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
)

// longPast is a thread's past in which one thing was said.
type longPast struct{}

func (longPast) Earlier(context.Context, string, string, func(string) bool, int) ([]workflow.Said, error) {
	return []workflow.Said{{ID: "m0", Author: "지수", Text: "다른 팀은 대전에 있어", At: noon.AddDate(0, -2, 0)}}, nil
}

// TestEveryPartOfATaskKnowsTheThread gives a task that means what was said before, and that
// is asked about, approved and carried out: every prompt has the messages before it, but not
// the task among them, and what was said long ago.
func TestEveryPartOfATaskKnowsTheThread(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]string{}
	note := func(name string) func(llm.Request) llmtest.Reply {
		return func(r llm.Request) llmtest.Reply {
			mu.Lock()
			defer mu.Unlock()
			var all strings.Builder
			for _, m := range r.Messages {
				all.WriteString(m.Content + "\n")
			}
			seen[name] = all.String()
			return llmtest.Text("다 했어요.")
		}
	}
	m := &mind{plans: []llmtest.Reply{planOf("회의록을 쓴다", "날씨를 본다@get_weather")}}
	d := newDesk(t, m, everything)
	d.cfg.Past = longPast{}
	d.start()
	m.route = func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") }
	d.req.Text = "부산 팀의 회의는 화요일 오후 3시야"
	d.run()
	m.route = nil
	m.before = func(_ int, r llm.Request) {
		if r.Schema != nil && r.Schema.Name == "clarity" {
			note("clarity")(r)
		}
	}
	m.steps, m.answer, m.args = note("step"), note("synthesis"), func(r llm.Request) llmtest.Reply {
		note("arguments")(r)
		if strings.HasPrefix(r.Messages[len(r.Messages)-1].Content, "회의록") {
			return llmtest.Text("도구가 필요 없어요.")
		}
		return llmtest.CallTool("get_weather", `{"city":"대전"}`)
	}
	d.next("그걸 다른 팀 것으로 다시 해 줘")
	for res := d.run(); len(res.Interrupts) > 0; res = d.run() {
		d.decide(res.Interrupts[0], do("accept"))
	}
	for _, name := range []string{"clarity", "arguments", "step", "synthesis"} {
		if n := strings.Count(seen[name], "부산 팀의 회의는 화요일 오후 3시야"); n != 1 || strings.Count(seen[name], "다른 팀은 대전에 있어") != 1 {
			t.Errorf("%s: the thread's past is there %d times:\n%s", name, n, seen[name])
		}
		if name != "clarity" && strings.Contains(seen[name], "지수 (2026-11-21): 그걸 다른 팀") {
			t.Errorf("%s: the task stands among what was said before it:\n%s", name, seen[name])
		}
	}
}

func (longPast) Missed(context.Context, string, string, func(string) bool, int) ([]workflow.Said, error) {
	return nil, nil
}
