package rag_test

import (
	"testing"

	"maru/rag"
)

func TestUnchatty(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"연차는 몇일이에여":           "연차는 며칠이에요",
		"연차 몇일이예요?":           "연차 며칠이에요?",
		"재택 되나여? 신청은 어떻게 해용~": "재택 되나요? 신청은 어떻게 해요~",
		"누구인가염":               "누구인가요",
		"급여 내용과 참여 대상, 가용 좌석": "급여 내용과 참여 대상, 가용 좌석",
		"몇 일 연속이면 연차 사용":      "몇 일 연속이면 연차 사용",
		"How many days?":      "How many days?",
	} {
		if got := rag.Unchatty(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
