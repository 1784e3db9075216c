package guide_test

import (
	"strings"
	"testing"

	"maru/agent/llm/llmtest"
)

func TestPlainQuestionGoesStraightToTheAnswer(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(task(false), llmtest.Text("Pro는 월 15달러예요 [1]."))
	d := newDesk(t, m)
	res := d.must(d.request("Canva는 얼마야?", "ko"))
	if d.path() != "llm_router answer" || len(res.Sources) != 1 || res.Sources[0].Title != "Canva" || !strings.Contains(res.Sources[0].Quote, "2025-06-01 기준 (https://prices.example/") {
		t.Errorf("went %s: %+v", d.path(), res)
	}
	if d.streamed() != res.Text {
		t.Errorf("people saw %q, the answer is %q", d.streamed(), res.Text)
	}
	m.AssertDone(t)
}
