package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestTheRouterKnowsWhatWasSaid: "what was it called?" is for the conversation if somebody said so, however
// many messages ago; of what is further back than the last exchange the router reads the beginnings.
func TestTheRouterKnowsWhatWasSaid(t *testing.T) {
	t.Parallel()
	m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
		llm.ForRoute:  func(llm.Request) llmtest.Reply { return route("agent") },
		llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("좋아요.") },
	})
	d := newDesk(t, m)
	d.ask(d.request("코드네임은 한라산이야 " + strings.Repeat("가", 1000) + "끝"))
	for _, text := range []string{"하나", "둘", "셋"} {
		d.ask(d.request(text))
	}
	d.ask(d.request("코드네임이 뭐였지?"))
	var seen []llm.Message
	for _, r := range m.Requests() {
		if r.Purpose == llm.ForRoute {
			seen = r.Messages
		}
	}
	all := fmt.Sprint(seen[1:])
	if !strings.Contains(all, "코드네임은 한라산이야") || strings.Contains(all, "끝") || len([]rune(all)) > 1000 {
		t.Errorf("the router reads %.2000s", all)
	}
	if n := strings.Count(all, "좋아요."); n != 2 { // of the last four messages
		t.Errorf("%d answers of the bot among %d messages", n, len(seen)-1)
	}
}
