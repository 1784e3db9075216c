package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestToldLater: a wish to be told at a time is no question for the documents; a
// question about a time is none to be told later.
func TestToldLater(t *testing.T) {
	t.Parallel()
	for q, later := range map[string]bool{
		"3시에 알려 줘": true, "오후 3시에 알려줘": true, "오후 세 시 반쯤에 꼭 알려 주세요.": true, "15:30에 알려줘!": true,
		"30분 뒤에 알려줘": true, "한 시간 후에 다시 말해 줘": true, "월요일에 다시 알려줘": true, "다음 주 월요일 오전 9시에 저한테 알려 주실래요?": true,
		"내일 아침 9시에 회의 알려줘": true, "내일 아침에 깨워 줘": true, "알려줘 3시에": true, "이따가 알려줘": true, "나중에 다시 알려 줘": true,
		"tell me at 3pm": true, "Let me know at 5 pm": true, "please wake me up at 7": true, "Can you ping me in 10 minutes?": true,
		"Tell me again tomorrow morning": true, "in half an hour tell me to stretch": true, "notify us on Monday": true,
		"3시에 뭐 해야 하는지 알려줘": false, "회의실 예약은 몇 시에 가능한지 알려줘": false, "9시에 출근하는 사람을 알려줘": false,
		"오후 반차 규정 알려줘": false, "2026-01에 추가된 규정 알려줘": false, "12월 25일에 쉬는지 알려줘": false, "3시간 전에 온 문의를 알려줘": false,
		"tell me at what time lunch begins": false, "tell me in 5 sentences about leave": false, "let me know who is in on Monday": false,
		"tell me about tomorrow": false,
	} {
		got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(q)}).Message.Content
		if said := strings.Contains(got, "내장 모델로는") || strings.Contains(got, "beyond the built-in model"); said != later {
			t.Errorf("%q: %q", q, got)
		}
		req := llm.Request{Purpose: llm.ForAnswer, Messages: said(q), Passages: []llm.Passage{{N: 1, Title: "반차", Text: "오전 반차는 14시에 출근하고, 오후 반차는 14시에 퇴근합니다."}}}
		if got := generate(t, req).Message.Content; later && strings.Contains(got, "[1]") {
			t.Errorf("%q quotes a passage that was found by its words: %q", q, got)
		}
	}
}
