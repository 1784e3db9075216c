package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/memory/longterm"
)

// accepted are lessons of steps that this person accepted, or not.
func accepted(t *testing.T, toolName, task string, yes, no int) []longterm.Lesson {
	t.Helper()
	var list []longterm.Lesson
	for i := range yes + no {
		d := longterm.Accepted
		if i >= yes {
			d = longterm.Rejected
		}
		list = append(list, lesson(t, longterm.KindBehavior, longterm.BehaviorLesson{Task: toolName + " " + task, Approval: "step", Decision: d}))
	}
	return list
}

// TestStepsAreApprovedByHistory does so where the setting allows it, for what
// only reads, and says so.
func TestStepsAreApprovedByHistory(t *testing.T) {
	t.Parallel()
	auto := agent.Approvals{Step: true, AutoStep: true}
	for name, c := range map[string]struct {
		asks    agent.Approvals
		tool    string
		yes, no int
		asked   bool
	}{
		"nearly_always":       {auto, "get_weather", 10, 0, false},
		"off_by_default":      {agent.Approvals{Step: true}, "get_weather", 10, 0, true},
		"not_often_enough":    {auto, "get_weather", 6, 4, true},
		"too_few_decisions":   {auto, "get_weather", 4, 0, true},
		"never_what_writes":   {auto, "write_note", 50, 0, true},
		"never_what_sends":    {auto, "web_search", 50, 0, true},
		"never_what_executes": {auto, "run_code", 50, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("하기@" + c.tool)}
			m.args = func(llm.Request) llmtest.Reply {
				if c.tool == "get_weather" {
					return llmtest.CallTool(c.tool, `{"city":"부산"}`)
				}
				return llmtest.CallTool(c.tool, `{"text":"x"}`)
			}
			d := newDesk(t, m, c.asks)
			d.remembering(accepted(t, c.tool, d.req.Text, c.yes, c.no)...)
			res := d.run()
			if (len(res.Interrupts) > 0) != c.asked {
				t.Fatalf("%+v, calls %s", res, d.tools.made())
			}
			if c.asked {
				if d.tools.made() != "" {
					t.Errorf("calls %s", d.tools.made())
				}
				return
			}
			if p := d.lastPlan(); !strings.Contains(p.Steps[0].Detail, "자동 승인") || d.tools.made() == "" {
				t.Errorf("%+v", p)
			}
			for _, l := range res.Lessons {
				if l.Kind == string(longterm.KindBehavior) {
					t.Error("an automatic approval taught that the person approves")
				}
			}
		})
	}
}

func TestBestValuesAndAvoidedToolsAreKnown(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
	m.args = func(llm.Request) llmtest.Reply { return llmtest.Text("모르겠어요") }
	d := newDesk(t, m, agent.Approvals{Step: true})
	var list []longterm.Lesson
	for range 4 {
		list = append(list, lesson(t, longterm.KindTool, longterm.ToolLesson{Task: "부산 날씨 확인", Tool: "get_weather", Success: true, Params: map[string]any{"city": "부산"}}))
	}
	for range 3 {
		list = append(list, lesson(t, longterm.KindTool, longterm.ToolLesson{Task: "부산 날씨 확인", Tool: "get_weather"}))
	}
	d.remembering(list...)
	_, a := d.asked("step")
	if !strings.Contains(a.Detail, "부산") || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "여러 번 실패") {
		t.Errorf("%+v", a)
	}
}

// TestAYesIsForOneCall: a yes to a call holds for its tool and values, once, however often this person agreed before. A
// second call of the same tool, in the same task or in the next, asks again, and skipped it does not run.
func TestAYesIsForOneCall(t *testing.T) {
	t.Parallel()
	const first, second = `{"text":"print(1)"}`, `{"text":"import os; os.remove('db')"}`
	for name, c := range map[string]struct {
		tool string
		asks agent.Approvals
	}{
		"executes": {"run_code", agent.Approvals{Step: true, AutoStep: true}},
		"sends":    {"send_mail", agent.Approvals{Step: true, AutoStep: true}},
		"writes":   {"write_note", agent.Approvals{Step: true, AutoStep: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := []string{first, second, first}
			m := &mind{plans: []llmtest.Reply{planOf("첫 코드@"+c.tool, "다음 코드@"+c.tool), planOf("또 하기@" + c.tool)}}
			m.args = func(llm.Request) llmtest.Reply {
				m.mu.Lock()
				defer m.mu.Unlock()
				args := calls[0]
				if len(calls) > 1 {
					calls = calls[1:]
				}
				return llmtest.CallTool(c.tool, args)
			}
			d := newDesk(t, m, c.asks)
			d.remembering(accepted(t, c.tool, d.req.Text, 200, 0)...)
			i, a := d.asked("step")
			if !strings.Contains(a.Detail, "print(1)") || d.tools.made() != "" {
				t.Fatalf("%+v, calls %s", a, d.tools.made())
			}
			i, a = d.decide(i, do(agent.VerbAccept)).asked("step")
			if !strings.Contains(a.Detail, "os.remove") || d.tools.made() != c.tool+first {
				t.Fatalf("%+v, calls %s", a, d.tools.made())
			}
			if res := d.decide(i, do(agent.VerbSkip)).run(); len(res.Interrupts) > 0 || d.tools.made() != c.tool+first {
				t.Fatalf("%+v, calls %s", res, d.tools.made())
			}
			d.next("그 코드를 다시 돌려 줘")
			if _, a := d.asked("step"); !strings.Contains(a.Detail, "print(1)") || d.tools.made() != c.tool+first {
				t.Errorf("%+v, calls %s", a, d.tools.made())
			}
		})
	}
}
