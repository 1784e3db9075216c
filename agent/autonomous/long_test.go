package autonomous_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestNothingFallsBetweenSummaryAndPrompt: what is not summarised yet is in the prompt, at every
// length of a thread.
func TestNothingFallsBetweenSummaryAndPrompt(t *testing.T) {
	t.Parallel()
	lost := ""
	model := llmtest.Func(func(n int, req llm.Request) llmtest.Reply {
		if req.Purpose == llm.ForSummary {
			return llmtest.Text("They told of the " + canary + ".")
		}
		all := ""
		for _, m := range req.Messages {
			all += m.Content + "\n"
		}
		if req.Schema == nil && !strings.Contains(all, canary) && lost == "" {
			lost = fmt.Sprintf("call %d of %d messages", n, len(req.Messages))
		}
		if req.Schema != nil {
			return llmtest.JSON(map[string]string{"difficulty": "easy", "reason": "test"})
		}
		return llmtest.Text("답")
	})
	d := newDesk(t, model)
	d.must("내 암호명은 " + canary + "이야")
	for i := range 24 {
		d.must(fmt.Sprintf("질문 %d", i))
	}
	if lost != "" {
		t.Errorf("the first message is neither shown nor summarised: %s", lost)
	}
}

// TestSummaryOfAChangedMessageIsUnsaid: what was edited or deleted after it was summarised
// is told in its old words nowhere.
func TestSummaryOfAChangedMessageIsUnsaid(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]bool{"edited": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Func(func(_ int, r llm.Request) llmtest.Reply {
				switch {
				case r.Purpose == llm.ForSummary:
					return llmtest.Text(r.Messages[len(r.Messages)-1].Content) // word by word
				case r.Schema != nil:
					return llmtest.JSON(map[string]string{"difficulty": "easy", "reason": "test"})
				}
				return llmtest.Text("답")
			})
			d := newDesk(t, m)
			d.must("내 암호명은 " + canary + "이야")
			for i := range 24 {
				d.must(fmt.Sprintf("질문 %d", i))
			}
			shown := func() string {
				reqs := m.Requests()
				return fmt.Sprint(reqs[len(reqs)-1].Messages)
			}
			if m.Count(llm.ForSummary) == 0 || !strings.Contains(shown(), canary) {
				t.Fatalf("nothing was summarised yet:\n%s", shown())
			}
			if err := d.agent.Amend(t.Context(), "thread", "m1", "내 암호명은 비밀이야", deleted); err != nil {
				t.Fatal(err)
			}
			d.must("내 암호명이 뭐였지?")
			if strings.Contains(shown(), canary) {
				t.Errorf("the prompt still says what was changed:\n%s", shown())
			}
		})
	}
}

const canary = "kingfisher"
