package workflow_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
)

// TestExchangesKeepNoUnkeptWords: a call's event carries its prompt and reply. Of a text that may only be shown it has
// what may be kept, and nothing where the text was cut or is quoted in another form.
func TestExchangesKeepNoUnkeptWords(t *testing.T) {
	t.Parallel()
	const kept = "- [Kim · 2026-11-20](https://chat.example/p1)"
	const shown = "Messages that people wrote.\n" + kept + "\n  > the \"launch\" moves to Friday because of the audit, 금요일"
	quoted, err := json.Marshal("the \"launch\" moves to Friday because of the audit, 금요일")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ prompt, want string }{
		"other_words": {"What is the launch day?", "What is the launch day?"},
		"as_shown":    {"Found:\n" + shown + "\nAnswer.", "Found:\n" + kept + "\nAnswer."},
		"cut_behind":  {shown[:len(shown)-30], "[…]"},
		"cut_before":  {shown[len(shown)-40:], "[…]"},
		"as_json":     {`{"text":` + string(quoted) + `}`, "[…]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var events []agent.Event
			m := llmtest.Script(llmtest.Text("It moves to " + shown))
			x := &workflow.Exec{Models: []llm.Model{llm.Metered(m, time.Now)}, Sink: func(e agent.Event) { events = append(events, e) }}
			ctx, _ := x.Begin(t.Context(), llm.Budget{})
			x.Unkept(kept, shown)
			req := llm.Request{Purpose: llm.ForAnswer, Messages: []llm.Message{{Role: llm.System, Content: "Be kind."}, {Role: llm.User, Content: c.prompt}}, Tools: []llm.Tool{{Name: "search_messages"}}}
			if _, _, err := x.ResilientInvoke(ctx, req, nil); err != nil {
				t.Fatal(err)
			}
			if len(events) != 1 || events[0].Exchange == nil {
				t.Fatalf("%+v", events)
			}
			e := events[0].Exchange
			if e.Prompt[0].Text != "Be kind." || e.Prompt[1].Text != c.want || e.Tools[0] != "search_messages" || e.Reply.Text != "It moves to "+kept {
				t.Errorf("kept %+v", e)
			}
			if raw, err := json.Marshal(events[0]); err != nil || strings.Contains(string(raw), "Be kind") {
				t.Errorf("the event is written as %s, %v", raw, err)
			}
		})
	}
}
