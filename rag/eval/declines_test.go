package eval_test

import (
	"testing"

	"maru/rag/eval"
)

// TestDeclines: what models say of themselves when they do not know counts, and nothing that goes on to answer.
func TestDeclines(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]bool{
		"I don't know.": true,
		"죄송합니다, 제가 자녀 학자금 지원에 대해 정보를 알 수 없습니다.": true,
		"The documents do not say.":                  true,
		"I don't know exactly, but you get 20 days.": false,
		"You don't know that? [1] says it.":          false,
		"Yes, we have a 401(k) plan.":                false,
		"<tools></tools>":                            false,
	} {
		if got := eval.Declines(reply); got != want {
			t.Errorf("%q declines: %v", reply, got)
		}
	}
}
