package contract_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/contract"
	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	n := 0
	m := llmtest.ByPurpose(map[llm.Purpose]func(llm.Request) llmtest.Reply{
		llm.ForPlan: func(llm.Request) llmtest.Reply {
			n++
			return llmtest.CallTool("hybrid_search", `{"query":"해지 `+strings.Repeat("x", n)+`"}`)
		},
		llm.ForReview: func(llm.Request) llmtest.Reply { return evaluation(false, "더", "제9조") },
		llm.ForAnswer: func(llm.Request) llmtest.Reply { return llmtest.Text("여기까지 찾았어요 [1].") },
	})
	for _, most := range []int{0, 2} {
		n = 0
		d := newDesk(t, m)
		d.cfg.MaxIterations = most
		d.use(m)
		d.add(home, "개발 계약서.txt", leaseKo)
		d.ask("계약 해지와 관련해 유의할 점은?", "ko")
		results := d.custom("evaluation_result")
		var last contract.Evaluation
		if err := json.Unmarshal(results[len(results)-1], &last); err != nil || last.Enough || last.Missing != "더" {
			t.Errorf("max %d: the last evaluation is %+v, %v", most, last, err)
		}
		requests := m.Requests()
		if shown := requests[len(requests)-1].Messages[0].Content; !strings.Contains(shown, "not found; say so where it matters: 더") {
			t.Errorf("max %d: the answer is not told what is missing", most)
		}
		want := most
		if most == 0 {
			want = 4
		}
		if got := strings.Count(d.path(), "planner"); got != want {
			t.Errorf("max %d: %d rounds", most, got)
		}
	}
}
