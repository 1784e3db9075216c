package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestFollowUps(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("대금이에요 [1].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	d.ask("제5조 알려줘", "ko")

	// A paragraph alone means the article before.
	m := llmtest.Script(leaning(true, "제5조 제2항은 무엇인가요?"), llmtest.Text("선금이에요 [1]."))
	d.use(m)
	res := d.ask("그럼 2항은?", "ko")
	if len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Quote, "선금") || strings.Contains(res.Sources[0].Quote, "3,000만") {
		t.Errorf("called %v: %+v", d.tools(), res.Sources)
	}
	m.AssertDone(t)

	// The same without a model that rewrites.
	d.use(llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.BadRequest}), llmtest.Text("대금이에요 [1].")))
	if res := d.ask("아까 그 조항 1항은?", "ko"); len(res.Sources) != 1 || !strings.Contains(res.Sources[0].Quote, "3,000만") {
		t.Errorf("called %v: %+v", d.tools(), res.Sources)
	}

	// A question that names its article leans on nothing: no model call for it.
	m = llmtest.Script(llmtest.Text("해지예요 [1]."))
	d.use(m)
	d.ask("제9조 보여줘", "ko")
	m.AssertDone(t)

	// A question that stands alone stays as it is.
	m = llmtest.Script(leaning(false, "다른 것"), llmtest.CallTool("hybrid_search", `{"query":"위약벌"}`), evaluation(true, ""), llmtest.Text("1,000만 원 [1]."))
	d.use(m)
	d.ask("비밀을 어기면 계약 위약벌은 얼마나 내야 하나요?", "ko")
	if q := m.Requests()[1].Messages; strings.Contains(q[len(q)-1].Content, "다른 것") {
		t.Errorf("the question became %q", q[len(q)-1].Content)
	}
}

func TestNoHistoryAsksNoModel(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(scope(true), llmtest.Text(""), llmtest.Text("무엇을 말씀하시는지 알려 주세요."))
	d := newDesk(t, m)
	d.ask("그것은 유효한 건가요?", "ko")
	if n := m.Count(llm.ForRewrite); n != 0 {
		t.Errorf("%d calls to rewrite", n)
	}
}
