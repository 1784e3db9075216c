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

const canary = "kingfisher"
