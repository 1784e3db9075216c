package guide_test

import (
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm/llmtest"
)

func TestEditByHandContinuesAsIfPlanned(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]agent.Reply{
		"form":          {Action: agent.VerbEdit, Values: map[string]string{"sub_tasks": "1. 영상 편집\n- 뉴스레터 보내기\n", "feedback": ""}},
		"form_and_word": {Action: agent.VerbEdit, Values: map[string]string{"sub_tasks": "영상 편집\n뉴스레터 보내기", "feedback": "짧게요"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llmtest.Script(task(true), plan("영상 편집", "썸네일 만들기")))
			r := d.request(goal, "ko")
			waits := d.must(r)
			m := llmtest.Script(llmtest.Text("없음"), choose("DaVinci Resolve", "Stibee"), llmtest.Text("이렇게 해요."), reflection())
			d.use(m)
			res, err := d.decide(r, waits, reply)
			if err != nil {
				t.Fatal(err)
			}
			if d.path() != "recommend_tool_node tool_executor recommend_tool_node guide_generation_node reflection_node" || !strings.Contains(res.Text, "| 뉴스레터 보내기 | [Stibee]") || strings.Contains(res.Text, "썸네일") {
				t.Errorf("went %s: %s", d.path(), res.Text)
			}
			if p := m.Requests()[0].Messages[0].Content; !strings.Contains(p, "1. 영상 편집: 결과물") || !strings.Contains(p, "2. 뉴스레터 보내기") {
				t.Errorf("looked for services with %s", p)
			}
			// The decision again, as after a crash: the run is over and stays.
			again, err := d.decide(r, waits, reply)
			if err != nil || again.Text != res.Text || d.path() != "" {
				t.Errorf("again: %v, went %s", err, d.path())
			}
		})
	}
}
