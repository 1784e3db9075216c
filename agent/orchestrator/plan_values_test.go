package orchestrator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

// A plan that only names a tool approves no values: what the step's model wants to
// write, send or run then is shown with a question of its own.
func TestPlanApprovalBindsValues(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"write_note", "send_mail", "run_code"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("날씨 확인@get_weather", "알리기@"+name)}
			m.args = func(llm.Request) llmtest.Reply {
				return llmtest.CallTool(name, `{"text":"to someone-else@evil.example"}`)
			}
			m.steps = func(req llm.Request) llmtest.Reply {
				if req.Messages[len(req.Messages)-1].Role == llm.ToolRole || len(req.Tools) == 0 {
					return llmtest.Text("맑음")
				}
				return llmtest.CallTool("get_weather", `{"city":"부산"}`)
			}
			d := newDesk(t, m, agent.Approvals{Plan: true})
			i, _ := d.asked("plan")
			i, a := d.decide(i, do("accept")).asked("step")
			if !strings.Contains(a.Detail, "someone-else@evil.example") || strings.Contains(d.tools.made(), name) {
				t.Fatalf("asked %+v after %s", a, d.tools.made())
			}
			res := d.decide(i, do("accept")).run()
			if want := name + `{"text":"to someone-else@evil.example"}`; !strings.HasSuffix(d.tools.made(), want) {
				t.Errorf("calls %s", d.tools.made())
			}
			if !strings.Contains(res.Text, "someone-else@evil.example") {
				t.Errorf("the report does not say to whom: %q", res.Text)
			}
		})
	}
}

// The values of a plan's next step are on its card, and its approval is that of exactly
// these values.
func TestPlanShowsTheValuesItApproves(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long body ", 60)
	for name, c := range map[string]struct {
		asks   agent.Approvals
		args   string
		pinned bool
	}{
		"known":         {agent.Approvals{Plan: true}, fmt.Sprintf(`{"text":"boss@example.com %s"}`, long), true},
		"missing_value": {agent.Approvals{Plan: true}, `{}`, false},
		"steps_asked":   {agent.Approvals{Plan: true, Step: true}, `{"text":"boss@example.com"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := weatherMind()
			m.plans = []llmtest.Reply{planOf("메일 보내기@send_mail")}
			m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("send_mail", c.args) }
			d := newDesk(t, m, c.asks)
			i, a := d.asked("plan")
			if shown := strings.Contains(a.Steps[0].Detail, strings.TrimSuffix(strings.TrimPrefix(c.args, "{"), "}")) && c.args != "{}"; shown != c.pinned {
				t.Fatalf("the plan shows %q", a.Steps[0].Detail)
			}
			m.args = func(llm.Request) llmtest.Reply {
				if c.pinned {
					t.Error("the values are made up again")
				}
				return llmtest.CallTool("send_mail", c.args)
			}
			res := d.decide(i, do("accept")).run()
			if c.pinned != (len(res.Interrupts) == 0) || c.pinned != (d.tools.made() == "send_mail"+c.args) {
				t.Fatalf("%+v, calls %s", res.Interrupts, d.tools.made())
			}
			if c.pinned && !strings.Contains(res.Text, "boss@example.com") {
				t.Errorf("the report does not say to whom: %q", res.Text)
			}
		})
	}
}

// A call that failed is not repeated on the strength of the plan.
func TestPinnedCallIsApprovedForOneTry(t *testing.T) {
	t.Parallel()
	m := weatherMind()
	m.plans = []llmtest.Reply{planOf("메일 보내기@send_mail")}
	m.args = func(llm.Request) llmtest.Reply { return llmtest.CallTool("send_mail", `{"text":"boss@example.com"}`) }
	m.failure = func(llm.Request) llmtest.Reply { return onFailure("retry") }
	d := newDesk(t, m, agent.Approvals{Plan: true})
	d.tools.result["send_mail"] = func(context.Context, tool.Call) (tool.Result, error) {
		return tool.Result{}, &tool.Error{Code: "unavailable", Model: "the server is away"}
	}
	i, _ := d.asked("plan")
	if d.decide(i, do("accept")).asked("step"); strings.Count(d.tools.made(), "send_mail") != 1 {
		t.Errorf("calls %s", d.tools.made())
	}
}
