package rag_test

import (
	"testing"

	"maru/rag"
)

func TestUnmannered(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"summarize the remote work policy in one line":    "tell me about the remote work policy",
		"Give me a short summary of the sick leave rules": "tell me about the sick leave rules",
		"TL;DR of the expense policy please":              "tell me about the expense policy please",
		"in two sentences, what's our travel policy?":     ", what's our travel policy?",
		"explain parental leave like I'm five":            "explain parental leave",
		"list the holidays as a table":                    "list the holidays",
		"how do I request leave, step by step?":           "how do I request leave?",
		"연차 규정 한 줄로 요약해줘":                                 "연차 규정 알려줘",
		"재택근무 제도 짧게 정리해줘":                                 "재택근무 제도 알려줘",
		"병가 규정을 표로 정리해줘":                                  "병가 규정 알려줘",
		"육아휴직에 대해 간단히 요약 부탁해요":                            "육아휴직 알려줘",
		"연차 신청하는 방법 단계별로 알려줘":                             "연차 신청하는 방법 알려줘",
		// The words are of the matter itself.
		"where is the executive summary?":        "where is the executive summary?",
		"who writes the summary of the board?":   "who writes the summary of the board?",
		"how many lines fit on a business card?": "how many lines fit on a business card?",
		"is the list in the table of contents?":  "is the list in the table of contents?",
		"회의록 요약은 누가 써?":                          "회의록 요약은 누가 써?",
		"책상 정리는 언제까지 해야 해?":                      "책상 정리는 언제까지 해야 해?",
		"두 줄로 서야 하나요?":                           "두 줄로 서야 하나요?",
		"요약해줘":                                   "요약해줘",
		"summarize":                              "summarize",
	} {
		if got := rag.Unmannered(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
