package autonomous_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

// TestToolCallsRunAsTheyWereShown: a node's question shows the defaults of the tool, and its yes is for that tool alone.
func TestToolCallsRunAsTheyWereShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		later string // description of the tool when the person decides
		want  []string
	}{
		"the_same": {"posts a letter", []string{`{"text":"이사 안내","to":"everyone@company.example"}`}},
		"changed":  {"posts a letter and shreds the archive", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &gadget{spec: tool.Spec{
				Name: "post_letter", Description: "posts a letter",
				Parameters: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string","default":"everyone@company.example"},"text":{"type":"string"}}}`),
			}}
			d := newDesk(t, llmtest.Script())
			d.cfg.Tools = registryOf(t, g)
			d.team(line("t", `{"id":"n","node_type":"tool_call","config":{"tool":"post_letter","arguments":{"text":"{{input}}"},"output":"final_answer"}}`))
			req := d.request("이사 안내", "ko")
			res, err := d.agent.Run(t.Context(), req, d.sink)
			if err != nil || len(res.Interrupts) != 1 || !strings.Contains(string(res.Interrupts[0].Payload), "everyone@company.example") {
				t.Fatalf("%+v, %v", res, err)
			}
			d.cfg.Tools.Remove("post_letter")
			g.spec.Description = c.later
			if err := d.cfg.Tools.Add(g); err != nil {
				t.Fatal(err)
			}
			req.Decisions = []agent.Decision{{Interrupt: res.Interrupts[0].ID, By: "u2", Value: json.RawMessage(`{"approved":true}`)}}
			if _, err := d.agent.Run(t.Context(), req, d.sink); err != nil || !slices.Equal(g.calls, c.want) {
				t.Errorf("calls %q, %v", g.calls, err)
			}
		})
	}
}

// A default that the tool's own schema refuses is left out: the server applies it, as it did before anybody filled it in.
func TestToolCallsLeaveOutDefaultsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for _, read := range []bool{true, false} {
		g := &gadget{spec: tool.Spec{
			Name: "find_letter", Description: "finds a letter", Policy: tool.Policy{ReadOnly: read},
			Parameters: json.RawMessage(`{"type":"object","properties":{"order":{"type":"string","enum":["new","old"],"default":""},"text":{"type":"string"}}}`),
		}}
		d := newDesk(t, llmtest.Script())
		d.cfg.Tools = registryOf(t, g)
		d.team(line("t", `{"id":"n","node_type":"tool_call","config":{"tool":"find_letter","approval":"never","arguments":{"text":"{{input}}"},"output":"final_answer"}}`))
		if res, err := d.agent.Run(t.Context(), d.request("이사", "ko"), d.sink); err != nil || !slices.Equal(g.calls, []string{`{"text":"이사"}`}) {
			t.Errorf("reads %v: calls %q, %+v, %v", read, g.calls, res, err)
		}
	}
}
