package chat_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

// messages is a tool that keeps the addresses of messages, and shows their words in a prompt of its run.
type messages struct{ revealed int }

func (*messages) Spec() tool.Spec {
	s := tool.Reader("search_messages", "said.title", "Searches messages.", `{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)
	s.Policy.Own = true
	return s
}

func (*messages) Call(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: "- [Kim](https://chat.example/1)\n- [Lee](https://chat.example/2)"}, nil
}

func (m *messages) Reveal(_ context.Context, c tool.Call, kept string) string {
	m.revealed++
	var args struct{ Query string }
	if json.Unmarshal(c.Arguments, &args) != nil || args.Query != "launch" {
		return kept
	}
	return strings.ReplaceAll(kept, "/1)", "/1)\n  > the launch is on Friday")
}

// TestFoundMessagesAreInPromptsOnly: the model reads their words in the turn that found them and in no later one, the
// trace and the window hold their addresses, and an answer without a link gets them.
func TestFoundMessagesAreInPromptsOnly(t *testing.T) {
	t.Parallel()
	const words = "launch is on Friday"
	for name, c := range map[string]struct{ says, want string }{
		"linked":   {"Kim says Friday ([Kim](https://chat.example/1)).", "Kim says Friday ([Kim](https://chat.example/1))."},
		"unlinked": {"Kim says Friday.", "Kim says Friday.\n\n메시지:\n- [Kim](https://chat.example/1)\n- [Lee](https://chat.example/2)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(route("agent"), llmtest.CallTool("search_messages", `{"query":"launch"}`), llmtest.Text(c.says), route("agent"), llmtest.Text("그래요."))
			d := newDesk(t, m)
			d.more = []tool.Tool{&messages{}}
			d.restart(m)
			res, events := d.ask(d.request("what did Kim say about the launch?"))
			if res.Text != c.want || streamed(events) != c.want {
				t.Errorf("answer %q, shown %q", res.Text, streamed(events))
			}
			d.ask(d.request("고마워"))
			reqs := m.Requests()
			if got := promptOf(reqs[2]); !strings.Contains(got, words) {
				t.Errorf("the model read %s", got)
			}
			if got := promptOf(reqs[4]); strings.Contains(got, words) || !strings.Contains(got, "https://chat.example/1") {
				t.Errorf("the next turn has %s", got)
			}
			for _, e := range events {
				if raw, _ := json.Marshal(e); strings.Contains(string(raw), words) {
					t.Errorf("the trace has %s", raw)
				}
			}
		})
	}
}

// promptOf returns all that a request says.
func promptOf(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// TestMessagesAnswerWhatDocumentsDoNot: the built-in model points at messages where no document answers, and not where
// one does or messages cannot be searched.
func TestMessagesAnswerWhatDocumentsDoNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		question string
		without  bool
		want     string
	}{
		"messages":     {"누가 zeppelin 얘기를 했어?", false, "- [Kim](https://chat.example/1)"},
		"documents":    {"누가 연차 얘기를 했어?", false, "15일"},
		"switched_off": {"누가 zeppelin 얘기를 했어?", true, "문서"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := extractive.New()
			d := newDesk(t, m)
			d.more = []tool.Tool{&messages{}}
			d.restart(m)
			req := d.request(c.question)
			if c.without {
				req.Scopes = append(req.Scopes, agent.Without("search_messages"))
			}
			res, _ := d.ask(req)
			if !strings.Contains(res.Text, c.want) || strings.Contains(res.Text, "launch is on Friday") || strings.Contains(res.Text, "chat.example") != (name == "messages") {
				t.Errorf("answer %q", res.Text)
			}
		})
	}
}
