package rag_test

import (
	"testing"

	"maru/rag"
)

func TestBareCase(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"늦으면?": true, "만약 제때 못 내면 어떻게 돼?": true, "미리 안 알려 주면 어떻게 돼?": true, "그날 못 하면요?": true, "일찍 끝내면?": true,
		"And if they don't?": true, "What if they miss it?": true, "So what happens if the supplier is late?": true,
		"월세를 늦게 내면?": false, "늦으면 이자는 얼마야?": false, "월세는 언제까지 내?": false,
		"What if the rent is paid late?": false, "If they miss the deadline, who pays?": false, "": false,
	} {
		if got := rag.BareCase(question); got != want {
			t.Errorf("BareCase(%q) = %v", question, got)
		}
	}
}
