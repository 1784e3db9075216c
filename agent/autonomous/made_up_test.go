package autonomous_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
	"maru/agent/workflow/node"
	"maru/phrase"
)

// TestWorkflowsMarkValuesThatNobodyGave: the card of a workflow's call marks a value that a model wrote and that neither a person nor
// anything that the turn has read gave.
func TestWorkflowsMarkValuesThatNobodyGave(t *testing.T) {
	t.Parallel()
	const (
		find  = `{"id":"find","node_type":"tool_call","config":{"tool":"shop_find"}}`
		who   = `{"id":"who","node_type":"llm_call","config":{"prompt":"{{input}} {{last_output}}","output":"metadata.who"}}`
		typed = `{"id":"who","node_type":"llm_call","config":{"prompt":"{{input}}","schema":{"type":"object","properties":{"to":{"type":"string"},"at":{"type":"integer"}},"required":["to"]},"output":"metadata.who"}}`
		inner = `{"id":"who","node_type":"sub_workflow","config":{"workflow":"inner","output":"metadata.who"}}`
		okay  = `{"id":"okay","node_type":"human_approval","config":{"question":"ok?"}}`
		yes   = `{"source":"okay","source_port":"approved","target":"who"},{"source":"okay","source_port":"rejected","target":"end"}`
	)
	bob := llmtest.Text("bob@corp.example")
	for name, c := range map[string]struct {
		said    string
		nodes   []string
		reply   llmtest.Reply
		to      string // argument
		comment string // of a person's approval
		mark    string
	}{
		"a model's":             {"mail the report", []string{who}, bob, "{{metadata.who}}", "", "bob@corp.example"},
		"within other words":    {"mail the report", []string{who}, bob, "Bob <{{metadata.who}}>", "", "Bob <bob@corp.example>"},
		"copied by a node":      {"mail the report", []string{who, `{"id":"copy","node_type":"set_state","config":{"set":{"metadata.to":"{{metadata.who}}"}}}`}, bob, "{{metadata.to}}", "", "bob@corp.example"},
		"of a structured reply": {"mail the report", []string{typed}, llmtest.JSON(map[string]any{"to": "bob@corp.example", "at": 5}), "{{metadata.who.to}}", "", "bob@corp.example"},
		"of a sub-workflow":     {"mail the report", []string{inner}, bob, "{{metadata.who}}", "", "bob@corp.example"},
		"said":                  {"mail bob@corp.example the report", []string{who}, bob, "{{metadata.who}}", "", ""},
		"said with a yes":       {"mail the report", []string{okay, who}, bob, "{{metadata.who}}", "to bob@corp.example", ""},
		"given by a tool":       {"mail the shop", []string{find, who}, llmtest.Text("shop@corp.example"), "{{metadata.who}}", "", ""},
		"the author's":          {"mail the report", []string{who}, bob, "desk@corp.example", "", ""},
		"computed":              {"mail the report", []string{who}, bob, "{{20 + 3}}", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &gadget{spec: tool.Spec{Name: "post_letter", Description: "posts a letter", Parameters: json.RawMessage(`{"type":"object","properties":{"to":{"type":["string","integer"]}}}`)}}
			d := newDesk(t, llmtest.Script())
			d.use(llmtest.Script(c.reply))
			d.cfg.Tools = registryOf(t, g, shop{tool.Result{Text: "write to shop@corp.example", From: "shop"}})
			text := line("t", append(c.nodes, `{"id":"n","node_type":"tool_call","config":{"tool":"post_letter","arguments":{"to":"`+c.to+`"},"output":"final_answer"}}`)...)
			d.team(strings.Replace(text, `{"source":"okay","target":"who"}`, yes, 1), line("inner", `{"id":"who","node_type":"llm_call","config":{"prompt":"{{input}}"}}`))
			req := d.request(c.said, "en")
			res := d.run(req)
			if c.comment != "" {
				req.Decisions = []agent.Decision{{Interrupt: res.Interrupts[0].ID, By: "u1", Value: json.RawMessage(`{"approved":true,"comment":"` + c.comment + `"}`)}}
				res = d.run(req)
			}
			if len(res.Interrupts) != 1 {
				t.Fatalf("asked %+v", res)
			}
			var shown agent.Ask
			if err := json.Unmarshal(res.Interrupts[0].Payload, &shown); err != nil {
				t.Fatal(err)
			}
			want := ""
			if c.mark != "" {
				want = phrase.Say("en", "agent.made_up", "`to` “"+strings.ReplaceAll(c.mark, "<", "\\<")+"”")
			}
			if got := strings.Join(shown.Notes, "\n"); (want == "") != !strings.Contains(got, "`to`") || !strings.Contains(got, want) {
				t.Errorf("notes %q, want %q", got, want)
			}
		})
	}
}

// TestRequestsMarkValuesThatNobodyGave: so does the card of a workflow's own request to a service that may write, of its address only
// what an expression gave it.
func TestRequestsMarkValuesThatNobodyGave(t *testing.T) {
	t.Parallel()
	const post = `"method":"POST",`
	for name, c := range map[string]struct{ said, url, more, mark string }{
		"in the body":    {"order it", "/", post + `"body":{"to":"{{metadata.who}}","kind":"tea"}`, "`body.to` “bob@corp.example”"},
		"in a header":    {"order it", "/", post + `"headers":{"X-To":"{{metadata.who}}"}`, "`headers.X-To` “bob@corp.example”"},
		"in the address": {"order it", `/orders?to={{replace(metadata.who, \"@\", \"%40\")}}`, post + `"body":"tea"`, "`url` “bob@corp.example”"},
		"said":           {"order it for bob@corp.example", "/", post + `"body":{"to":"{{metadata.who}}"}`, ""},
		"the author's":   {"order it", "/bob", post + `"body":{"to":"desk@corp.example"}`, ""},
		"of a question":  {"order it", "/?q={{metadata.who}}", `"headers":{}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Script())
			d.use(llmtest.Script(llmtest.Text("bob@corp.example")))
			d.cfg.HTTP = node.NewHTTPClient(only("shop.example"))
			d.team(line("t", `{"id":"who","node_type":"llm_call","config":{"prompt":"{{input}}","output":"metadata.who"}}`,
				`{"id":"send","node_type":"http_request","config":{"url":"http://shop.example`+c.url+`","hosts":["shop.example"],"approval":"always",`+c.more+`}}`))
			res := d.run(d.request(c.said, "en"))
			if len(res.Interrupts) != 1 {
				t.Fatalf("asked %+v", res)
			}
			var shown agent.Ask
			if err := json.Unmarshal(res.Interrupts[0].Payload, &shown); err != nil {
				t.Fatal(err)
			}
			got, made := strings.Join(shown.Notes, "\n"), strings.SplitN(phrase.Say("en", "agent.made_up", "%"), "%", 2)[0]
			if strings.Contains(got, made) != (c.mark != "") || !strings.Contains(got, c.mark) || strings.Count(got, "bob@") > 1 {
				t.Errorf("notes %q, want %q", got, c.mark)
			}
		})
	}
}
