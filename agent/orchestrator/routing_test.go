package orchestrator_test

import (
	"testing"

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
