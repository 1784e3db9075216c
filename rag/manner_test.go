package rag_test

import (
	"testing"

	"maru/rag"
)

func TestAskedWithoutTheForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"summarize the remote work policy in one line":    "tell me about the remote work policy",
		"Give me a short summary of the sick leave rules": "tell me about the sick leave rules",
		"TL;DR of the expense policy please":              "tell me about the expense policy please",
		"gimme the gist of the expense rules":             "tell me about the expense rules",
		"tl;dr of the severance stuff?":                   "tell me about the severance",
		"what's the deal with overtime pay":               "tell me about overtime pay",
		"in two sentences, what's our travel policy?":     "what's our travel policy?",
		"explain parental leave like I'm five":            "explain parental leave",
		"list the holidays as a table":                    "list the holidays",
		"how do I request leave, step by step?":           "how do I request leave?",
		"연차 규정 한 줄로 요약해줘":                                 "연차 규정 알려줘",
		"재택근무 제도 짧게 정리해줘":                                 "재택근무 제도 알려줘",
		"병가 규정을 표로 정리해줘":                                  "병가 규정 알려줘",
		"육아휴직에 대해 간단히 요약 부탁해요":                            "육아휴직 알려줘",
		"연차 신청하는 방법 단계별로 알려줘":                             "연차 신청하는 방법 알려줘",
		// The words are of the matter itself.
		"What must be written in plain English?":                            "",
		"What counts as a table?":                                           "",
		"tell me which phones come with two lines":                          "",
		"What is a contract with 2 paragraphs":                              "",
		"is the review done step by step?":                                  "",
		"Do I have to write expense claims in bullet points?":               "",
		"Must contracts be in plain English?":                               "",
		"Can I get a phone with two lines?":                                 "",
		"Is a contract with 2 paragraphs valid?":                            "",
		"How do I view tasks as a list in Jira?":                            "",
		"Can I export employees as a list?":                                 "",
		"What does \"in a nutshell\" mean?":                                 "",
		"What's the deal with Acme Corp worth?":                             "",
		"What are the basics of a good contract and who checks it?":         "",
		"How many characters fit in one line?":                              "",
		"Recap meeting: when is it?":                                        "",
		"Outline agreement: who signs it?":                                  "",
		"Summary for the board: when is it due?":                            "",
		"I need an explanation for my absence from work, which form is it?": "",
		"Can I get a summary of my leave days by mail?":                     "",
		"I need a summary for my manager":                                   "",
		"give me an overview from the vendor":                               "",
		"Summarize what was decided and who does what":                      "",
		"탕비실은 누가 정리해?":                                                      "",
		"회의록은 언제까지 정리해?":                                                    "",
		"회의실은 어떻게 정리해?":                                                     "",
		"퇴근 전 책상 정리해?":                                                      "",
		"재고 정리":                                                             "",
		"퇴사할 때 계정 정리":                                                       "",
		"경비는 표로 정리해야 해?":                                                    "",
		"휴가 사유는 짧게 설명해도 돼?":                                                 "",
		"반차 사유를 간단히 말해야 해?":                                                 "",
		"where is the executive summary?":                                   "where is the executive summary?",
		"who writes the summary of the board?":                              "who writes the summary of the board?",
		"how many lines fit on a business card?":                            "how many lines fit on a business card?",
		"is the list in the table of contents?":                             "is the list in the table of contents?",
		"회의록 요약은 누가 써?":                                                     "회의록 요약은 누가 써?",
		"책상 정리는 언제까지 해야 해?":                                                 "책상 정리는 언제까지 해야 해?",
		"두 줄로 서야 하나요?":                                                      "두 줄로 서야 하나요?",
		"요약해줘":                                                              "요약해줘",
		"summarize":                                                         "summarize",
	} {
		if want == "" {
			want = in
		}
		if got := rag.Asked(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
