package orchestrator_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestSimpleChatIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	m := &mind{
		route:  func(llm.Request) llmtest.Reply { return kindIs("SIMPLE_CHAT") },
		answer: func(llm.Request) llmtest.Reply { return llmtest.Text("안녕하세요, 지수 님!") },
	}
	d := newDesk(t, m, everything)
	d.req.Text = "안녕?"
	res := d.run()
	if res.Text != "안녕하세요, 지수 님!" || d.streamed() != res.Text || d.model.Count() != 2 || d.visited("dynamic_planning") != 0 {
		t.Errorf("%q, streamed %q, %d calls", res.Text, d.streamed(), d.model.Count())
	}
	if len(res.Artifacts) != 0 {
		t.Error("a talk has no files")
	}
}

// TestTaskIsMarkedInTheHistory looks at what the next turn's models are shown.
func TestTaskIsMarkedInTheHistory(t *testing.T) {
	t.Parallel()
	d := newDesk(t, weatherMind(), agent.Approvals{})
	d.mind.plans = []llmtest.Reply{planOf("날씨 확인@get_weather")}
	d.run()
	d.next("고마워").run()
	var said []string
	for _, r := range d.model.Requests() {
		if r.Purpose == llm.ForRoute { // the last one stays
			said = nil
			for _, m := range r.Messages[1:] {
				said = append(said, m.Content)
			}
		}
	}
	if !strings.Contains(strings.Join(said, "|"), "메모해 줘\n[new task: 날씨 메모]") {
		t.Errorf("the model was shown %q", said)
	}
}
