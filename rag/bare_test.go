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

func TestBareVerb(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"어디서 받아?": true, "누가 승인해요?": true, "며칠 전에 해야 해?": true, "언제까지 낼 수 있어?": true, "어떻게 알려?": true, "왜 안 돼?": true,
		"who approves?": true, "And when?": true, "how much": true, "why not?": true,
		"도시락은 어디서 받아?": false, "누가 휴가를 승인해?": false, "며칠이야": false, "where do I park?": false, "who approves leave?": false, "how much is lunch?": false,
		"whenever": false, "": false,
	} {
		if got := rag.BareVerb(question); got != want {
			t.Errorf("BareVerb(%q) = %v", question, got)
		}
	}
}
