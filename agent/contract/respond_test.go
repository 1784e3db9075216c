package contract_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

func TestStandardIsToldApartFromTheUsers(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(llmtest.Text("올리신 계약서는 5년[1], 표준은 3년이에요[2]."))
	d := newDesk(t, m)
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("우리 계약서 제7조와 표준계약서 제11조를 비교해줘", "ko")
	_ = res
	shown := m.Requests()[0].Messages[0].Content
	if !strings.Contains(shown, "(the user's contract) 개발 계약서") || !strings.Contains(shown, "(the standard contract) 표준 용역계약서") {
		t.Errorf("the model was shown %s", shown)
	}
	if !strings.Contains(res.Text, "올리신 계약서가 아니라 표준계약서") {
		t.Errorf("answer %s", res.Text)
	}
}

func TestInventedCitationsAreRemoved(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Text("대금은 3,000만 원이에요 [1][7].")))
	d.add(home, "개발 계약서.txt", leaseKo)
	res, err := d.run(d.request("제5조 알려줘", "ko"))
	if err != nil || strings.Contains(res.Text, "[7]") || len(res.Sources) != 1 {
		t.Errorf("%s %v %v", res.Text, res.Sources, err)
	}
}

func TestModelThatRefusesLeavesThePassages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Fail(&llm.Error{Class: llm.ContentFilter})))
	d.add(home, "개발 계약서.txt", leaseKo)
	if res := d.ask("제5조 알려줘", "ko"); !strings.Contains(res.Text, "3,000만 원") || len(res.Sources) == 0 {
		t.Errorf("%s", res.Text)
	}
}

// TestHalfAnAnswerIsReplaced: what was said before the answer stays when the
// model breaks off.
func TestHalfAnAnswerIsReplaced(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llmtest.Script(llmtest.Reply{Text: "제5조는 ", Err: &llm.Error{Class: llm.ContentFilter}}))
	d.add(home, "개발 계약서.txt", leaseKo)
	res := d.ask("제5조와 제99조 알려줘", "ko") // ask compares what people saw with the answer
	if !strings.HasPrefix(res.Text, "「개발 계약서」에는 제99조가 없어요.") || !strings.Contains(res.Text, "3,000만 원") {
		t.Errorf("%s", res.Text)
	}
}
