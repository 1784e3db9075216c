package main

import (
	"strings"
	"testing"
	"time"

	"maru/agent/llm/llmtest"
)

// TestInventedCitationsAreCounted: a citation of a passage that there is not is taken out
// before the answer is sent, and the metrics count it.
func TestInventedCitationsAreCounted(t *testing.T) {
	t.Parallel()
	unraced(t)
	srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(r.Messages[0].Text(), "passages of the team's documents") {
			return llmtest.Text("연차는 1년에 15일이에요 [1][77]. 자세한 것은 안내를 보세요 [78].")
		}
		return think(r)
	})
	p := newProgram(t, "MARU_HANDBOOK=true", "OPENAI_BASE_URL="+srv.URL, "OPENAI_API_KEY=k")
	p.start()
	p.tell("one", "연차는 며칠이야?")
	if said := p.hears("one", 2, "15일"); strings.Contains(said, "[77]") || strings.Contains(said, "[78]") {
		t.Errorf("it was sent: %s", said)
	}
	const want = `maru_citations_checked_total{agent="chat",result="removed"} 2`
	for deadline := time.Now().Add(atMost); !strings.Contains(p.operator("/metrics"), want); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %s in\n%s", want, tail(p.operator("/metrics"), 4000))
		}
	}
}
