package orchestrator_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

// messages is a tool that keeps the address of a message, and shows its words in a prompt of its run.
type messages struct{}

func (messages) Spec() tool.Spec {
	s := tool.Reader("search_messages", "said.title", "Searches messages.", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)
	s.Policy.Own = true
	return s
}

func (messages) Call(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: "- [Kim](https://chat.example/1)"}, nil
}

func (messages) Reveal(_ context.Context, _ tool.Call, kept string) string {
	return strings.ReplaceAll(kept, "/1)", "/1)\n  > the launch is on Friday")
}

// TestFoundMessagesAreInPromptsOnly: in a plain answer and in a step, prepared or not, the model reads the words of
// messages, and neither the trace nor the log of the run holds them.
func TestFoundMessagesAreInPromptsOnly(t *testing.T) {
	t.Parallel()
	const words = "launch is on Friday"
	search := llmtest.CallTool("search_messages", `{"query":"launch"}`)
	read := func(req llm.Request) llmtest.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole || len(req.Tools) == 0 {
			return llmtest.Text("Kim says so ([Kim](https://chat.example/1)).")
		}
		return search
	}
	for name, m := range map[string]*mind{
		"talk":          {route: func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") }, answer: read},
		"prepared_step": {plans: []llmtest.Reply{planOf("search@search_messages")}, args: func(llm.Request) llmtest.Reply { return search }, steps: read, answer: read},
		"step":          {plans: []llmtest.Reply{planOf("search@search_messages")}, args: func(llm.Request) llmtest.Reply { return llmtest.Text("none") }, steps: read, answer: read},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, m, agent.Approvals{})
			if err := d.tools.registry.Add(messages{}); err != nil {
				t.Fatal(err)
			}
			d.english()
			d.req.Text = "what did Kim say about the launch?"
			d.start()
			res := d.run()
			if !strings.Contains(res.Text, "https://chat.example/1") || strings.Contains(res.Text, words) {
				t.Errorf("answer %q", res.Text)
			}
			seen := false
			for _, r := range d.model.Requests() {
				for _, one := range r.Messages {
					seen = seen || strings.Contains(one.Content, words)
				}
			}
			if !seen {
				t.Error("no prompt has the words")
			}
			for _, e := range d.events {
				if raw, _ := json.Marshal(e); strings.Contains(string(raw), words) {
					t.Errorf("the trace has %s", raw)
				}
			}
			for _, file := range res.Artifacts {
				if strings.Contains(string(file.Data), words) {
					t.Errorf("the file has %s", file.Data)
				}
			}
		})
	}
}
