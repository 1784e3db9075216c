package autonomous_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

// TestNobodyIsAskedAboutAToolThatIsNotThere: a node whose tool's server is down fails; it asks nobody about a call that it cannot
// make, before the question or after it, whatever its approval.
func TestNobodyIsAskedAboutAToolThatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, approval := range []string{"always", "auto", "never"} {
		for name, there := range map[string]bool{"gone": false, "gone_after_the_question": true} {
			if there && approval == "never" {
				continue
			}
			t.Run(approval+"/"+name, func(t *testing.T) {
				t.Parallel()
				d, g := post(t)
				d.team(line("t", `{"id":"n","node_type":"tool_call","config":{"tool":"post_letter","approval":"`+approval+`","arguments":{"text":"{{input}}"},"output":"final_answer"}}`))
				req := d.request("이사 안내", "ko")
				if there {
					req.Decisions = []agent.Decision{{Interrupt: d.run(req).Interrupts[0].ID, By: "u2", Value: json.RawMessage(`{"approved":true}`)}}
				}
				d.cfg.Tools.Remove("post_letter")
				if res := d.run(req); len(res.Interrupts) > 0 || len(g.calls) > 0 || !strings.Contains(res.Text, "없는 도구를 쓰려고 했어요") {
					t.Errorf("calls %q, %+v", g.calls, res)
				}
			})
		}
	}
	t.Run("not_for_this_channel", func(t *testing.T) {
		t.Parallel()
		d, g := post(t)
		g.spec.Policy.Only = []string{"elsewhere"}
		d.change(g, "posts a letter", "kim@company.example")
		d.team(line("t", `{"id":"n","node_type":"tool_call","config":{"tool":"post_letter","approval":"always","arguments":{"text":"{{input}}"},"output":"final_answer"}}`))
		if res := d.run(d.request("이사 안내", "ko")); len(res.Interrupts) > 0 || len(g.calls) > 0 || !strings.Contains(res.Text, "이 대화에서는 쓸 수 없는 도구예요") {
			t.Errorf("calls %q, %+v", g.calls, res)
		}
	})
}

// TestACutOffCallStaysALastingOne: a server that calls its tool read-only, once the call was cut off, does not make the call
// one that may be repeated.
func TestACutOffCallStaysALastingOne(t *testing.T) {
	t.Parallel()
	for _, approval := range []string{"always", "auto", "never"} {
		t.Run(approval, func(t *testing.T) {
			t.Parallel()
			d, g := post(t)
			d.team(line("t", `{"id":"n","node_type":"tool_call","config":{"tool":"post_letter","approval":"`+approval+`","arguments":{"text":"{{input}}"},"output":"final_answer"}}`))
			req := d.request("이사 안내", "ko")
			if approval != "never" {
				req.Decisions = []agent.Decision{{Interrupt: d.run(req).Interrupts[0].ID, By: "u2", Value: json.RawMessage(`{"approved":true}`)}}
			}
			ctx, die := context.WithCancel(t.Context())
			g.hang = die
			if _, err := d.agent.Run(ctx, req, d.sink); err == nil {
				t.Fatal("the run survived")
			}
			g.hang, g.spec.Policy = nil, tool.Policy{ReadOnly: true}
			d.change(g, "posts a letter", "everyone@company.example")
			d.use(llmtest.Script())
			d.team(line("t", `{"id":"n","node_type":"tool_call","config":{"tool":"post_letter","approval":"`+approval+`","arguments":{"text":"{{input}}"},"output":"final_answer"}}`))
			if res := d.run(req); len(g.calls) != 1 || len(res.Interrupts) > 0 || !strings.Contains(res.Text, "반영됐는지 알 수 없어요") {
				t.Errorf("calls %q, %+v", g.calls, res)
			}
		})
	}
}

// TestARefusalInWordsIsAnError: a workflow can branch on a result that says that nothing was sent, as on other failures; what a
// lookup finds is no failure.
func TestARefusalInWordsIsAnError(t *testing.T) {
	t.Parallel()
	for says, c := range map[string]struct {
		tool   string
		failed bool
	}{
		"편지가 발송되지 않았습니다: 주소가 없습니다": {"post_letter", true},
		"편지를 보냈습니다. 아직 읽지 않았습니다":   {"post_letter", false},
		"letter not found": {"find_letter", false},
	} {
		d, g := post(t)
		g.says, g.spec.Name = says, c.tool
		d.cfg.Tools = registryOf(t, g)
		d.team(line("t", `{"id":"n","node_type":"tool_call","config":{"tool":"`+c.tool+`","approval":"never","arguments":{"text":"{{input}}"}}}`,
			`{"id":"s","node_type":"set_state","config":{"set":{"final_answer":"Error: {{error}}"}}}`))
		want := "Error: "
		if c.failed {
			want += c.tool + ": " + says
		}
		if res := d.run(d.request("이사 안내", "ko")); strings.TrimSpace(res.Text) != strings.TrimSpace(want) {
			t.Errorf("%q: %q", says, res.Text)
		}
	}
}
