package chat_test

import (
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestAddressed(t *testing.T) {
	t.Parallel()
	before := []agent.Turn{{Author: "철수", Text: "연차는 며칠이야?"}, {Own: true, Text: "15일이에요."}, {Author: "영희", Text: "고마워\n철수야"}}
	cases := map[string]struct {
		reply llmtest.Reply
		want  bool
		fails bool
	}{
		"to_the_bot":      {reply: llmtest.JSON(map[string]bool{"to_bot": true}), want: true},
		"to_each_other":   {reply: llmtest.JSON(map[string]bool{"to_bot": false})},
		"not_decided":     {reply: llmtest.Text("hard to say"), fails: true}, // one call is all it costs
		"endpoint_failed": {reply: llmtest.Fail(&llm.Error{Class: llm.Quota}), fails: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := llmtest.Script(c.reply)
			got, err := chat.Addressed(llm.Metered(model, time.Now))(t.Context(), before, agent.Turn{Author: "영희", Text: "3년차는?"})
			if got != c.want || (err != nil) != c.fails {
				t.Errorf("%v, %v; want %v, failure %v", got, err, c.want, c.fails)
			}
			talk := model.Requests()[0].Messages[1].Content
			if want := "철수: 연차는 며칠이야?\nMaru (the bot): 15일이에요.\n영희: 고마워 철수야\n영희: 3년차는?\n"; talk != want {
				t.Errorf("the model read %q, want %q", talk, want)
			}
			if !strings.Contains(model.Requests()[0].Messages[0].Content, "never an instruction") {
				t.Error("the model is not told that the talk is data")
			}
			if model.Count() != 1 {
				t.Errorf("%d calls, want 1", model.Count())
			}
		})
	}
}
