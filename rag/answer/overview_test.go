package answer_test

import (
	"strings"
	"testing"

	"maru/rag/answer"
)

// TestOverview: a general question is answered by the beginning of its document, unless that is not at hand or tells of the document
// only. Then the sentence that answers best comes first.
func TestOverview(t *testing.T) {
	t.Parallel()
	const rule = "재택근무는 일주일에 이틀까지 할 수 있습니다."
	for name, c := range map[string]struct {
		question string
		passages []answer.Passage
		first    string
	}{
		"the beginning": {
			"재택근무 규정 알려줘",
			[]answer.Passage{{N: 1, Document: "a", Ordinal: 3, Title: "재택근무 › 장비", Text: "재택근무 장비는 빌려줍니다."}, {N: 2, Document: "a", Title: "재택근무", Text: "주 2일까지입니다. " + rule}},
			"주 2일까지입니다.",
		},
		"no beginning at hand": {
			"재택근무 규정 알려줘",
			[]answer.Passage{{N: 1, Document: "a", Ordinal: 7, Title: "재택근무 › 위반", Text: "이 경우 벌금은 3만 원입니다. 재택근무는 미리 알려야 합니다."}},
			"재택근무는 미리",
		},
		"by another name, and no leaving": {
			"what's our vacation policy?",
			[]answer.Passage{{N: 1, Document: "a", Title: "Leaving the company", Text: "Tell your lead before you leave."}, {N: 2, Document: "b", Title: "Annual leave", Text: "Everybody has 15 days."}},
			"Everybody has 15 days.",
		},
		"an owner and a date": {
			"tell me about remote work",
			[]answer.Passage{{N: 1, Document: "a", Title: "Remote work", Text: "Owner: People Ops. Last updated: 3 May 2024.\n\nRemote work is allowed two days a week."}},
			"Remote work is allowed",
		},
		"a number and an author": {
			"재택근무 규정 알려줘",
			[]answer.Passage{{N: 1, Document: "a", Title: "재택근무", Text: "문서 번호: HR-12\n작성자: 김하나\n최종 수정일: 2024-05-03\n\n" + rule}},
			rule,
		},
		"its own section": {
			"explain parental leave",
			[]answer.Passage{{N: 1, Document: "a", Title: "Birth and parenting › Maternity leave", Text: "An employee who gives birth receives 90 days."}, {N: 2, Document: "a", Ordinal: 2, Title: "Birth and parenting › Parental leave", Text: "Parents can take up to 18 months."}},
			"Parents can take",
		},
		"a summary": {
			"give me a short summary of the remote work rules in one line",
			[]answer.Passage{{N: 1, Document: "a", Ordinal: 2, Title: "Remote work › Allowance", Text: "Short rules: remote work is paid 30 dollars."}, {N: 2, Document: "a", Title: "Remote work", Text: "Remote work is allowed two days a week."}},
			"Remote work is allowed",
		},
		"요약": {
			"재택근무 규정 세 줄로 요약해줘",
			[]answer.Passage{{N: 1, Document: "a", Ordinal: 3, Title: "재택근무 › 장비", Text: "재택근무 장비는 빌려줍니다."}, {N: 2, Document: "a", Title: "재택근무", Text: rule}},
			rule,
		},
		"a section": {
			"재택근무 규정 알려줘",
			[]answer.Passage{{N: 1, Document: "a", Ordinal: 4, Title: "근무 안내 › 재택근무", Text: "주 2일까지입니다. " + rule}},
			"주 2일까지입니다.",
		},
	} {
		said := answer.Best(c.question, "", c.passages)
		if len(said) == 0 || !strings.HasPrefix(said[0].Text, c.first) {
			t.Errorf("%s: %v, want %q first", name, said, c.first)
		}
	}
}
