package orchestrator_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

// flaky makes get_weather fail some times before it works.
func flaky(d *desk, failures int) {
	d.tools.result["get_weather"] = func(context.Context, tool.Call) (tool.Result, error) {
		if failures--; failures >= 0 {
			return tool.Result{}, errors.New("away")
		}
		return tool.Result{Text: "맑음"}, nil
	}
}

func failingMind(decisions ...string) *mind {
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather", "정리하기")}
	m.steps = func(req llm.Request) llmtest.Reply {
		last := req.Messages[len(req.Messages)-1]
		switch {
		case last.Role == llm.ToolRole && strings.HasPrefix(last.Content, "error"):
			return llmtest.Text("[BLOCKED: 날씨 서비스가 안 돼요]")
		case last.Role == llm.ToolRole || !strings.Contains(req.Messages[1].Content, "날씨"):
			return llmtest.Text("됐어요")
		}
		return llmtest.CallTool("get_weather", `{"city":"부산"}`)
	}
	n := 0
	m.failure = func(llm.Request) llmtest.Reply {
		n++
		return onFailure(decisions[min(n, len(decisions))-1])
	}
	return m
}

func TestFailedStepIsRetriedReplannedOrLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failures  int
		decisions []string
		states    string
		says      string
	}{
		"retry_works":   {1, []string{"retry"}, "done done", "2단계 중 2단계 성공"},
		"retry_bounded": {9, []string{"retry", "retry", "retry"}, "failed done", "날씨 서비스가 안 돼요"},
		"go_on":         {9, []string{"go_on"}, "failed done", "실패 1"},
		"replan":        {1, []string{"replan"}, "failed done", "다시 세웠어요"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := failingMind(c.decisions...)
			if name == "replan" {
				m.plans = append(m.plans, planOf("지도 보기"))
			}
			d := newDesk(t, m, agent.Approvals{})
			flaky(d, c.failures)
			res := d.run()
			if states(d.lastPlan()) != c.states || !strings.Contains(res.Text, c.says) {
				t.Errorf("plan %s, answer %q", states(d.lastPlan()), res.Text)
			}
			if n := strings.Count(d.tools.made(), "get_weather"); n > 2 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestNewPlanIsAskedForAgain(t *testing.T) {
	t.Parallel()
	m := failingMind("replan")
	m.plans = append(m.plans, planOf("메모 남기기@write_note"))
	d := newDesk(t, m, agent.Approvals{Plan: true})
	flaky(d, 1)
	i, _ := d.asked("plan")
	i, a := d.decide(i, do("accept")).asked("plan")
	if stepsOf(a) != "메모 남기기:writes" || strings.Contains(d.tools.made(), "write_note") {
		t.Errorf("%s, calls %s", stepsOf(a), d.tools.made())
	}
	res := d.decide(i, do("reject")).run()
	if strings.Contains(d.tools.made(), "write_note") || !strings.Contains(res.Text, "여기서 멈췄어요") {
		t.Errorf("%q, calls %s", res.Text, d.tools.made())
	}
}

// TestRetryOfAWriteIsAskedFor: a plan's grant is good for one try.
func TestRetryOfAWriteIsAskedFor(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("메모 남기기@write_note")}
	m.failure = func(llm.Request) llmtest.Reply { return onFailure("retry") }
	m.steps = func(req llm.Request) llmtest.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
			return llmtest.Text("[BLOCKED: " + last.Content + "]")
		}
		return llmtest.CallTool("write_note", `{"text":"맑음"}`)
	}
	d := newDesk(t, m, agent.Approvals{Plan: true})
	d.tools.result["write_note"] = func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, errors.New("away") }
	i, _ := d.asked("plan")
	_, a := d.decide(i, do("accept")).asked("step")
	if a.Effect != agent.EffectWrites || strings.Count(d.tools.made(), "write_note") != 1 {
		t.Errorf("%+v, calls %s", a, d.tools.made())
	}
}

func TestProgressIsCounted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, failingMind("go_on"), agent.Approvals{})
	flaky(d, 9)
	d.run()
	var got []string
	for _, e := range d.events {
		if e.Kind == agent.EventCustom && e.Name == "progress" {
			var flat map[string]any
			if err := json.Unmarshal(e.Data, &flat); err != nil {
				t.Fatal(err)
			}
			got = append(got, string(e.Data))
		}
	}
	want := []string{
		`{"total":2,"completed":1,"successful":0,"failed":1,"skipped":0,"validation_rate":0,"percentage":0}`,
		`{"total":2,"completed":2,"successful":1,"failed":1,"skipped":0,"validation_rate":0.5,"percentage":50}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("progress:\n%s", strings.Join(got, "\n"))
	}
}
