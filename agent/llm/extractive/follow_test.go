package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
)

// A short question after a long one may be about something new: what was said before
// tells which of several sentences is meant, and does not hide the one that is there.
func TestAShortQuestionBehindALongOne(t *testing.T) {
	t.Parallel()
	outing := llm.Passage{N: 1, Title: "가을 소풍", Text: "가을 소풍은 10월 17일 금요일에 북한산으로 가요. 도시락은 회사에서 준비해요."}
	card := llm.Passage{N: 1, Title: "법인카드", Text: "법인카드의 한도는 한 달에 50만 원이에요."}
	trip := llm.Passage{N: 2, Title: "출장", Text: "출장 숙박비의 한도는 하루에 8만 원이에요."}
	for name, c := range map[string]struct {
		before, question string
		passages         []llm.Passage
		want, not        string
	}{
		"something_new": {"연차 규정을 찾아서 정리하고 12*7도 계산해 줘", "소풍은 언제야?", []llm.Passage{outing}, "10월 17일", ""},
		"something_new_behind_sentences": {
			"노트북 반납 절차와 보안 점검 순서를 부서별로 나눠서 알려 줘", "소풍은 언제야?", []llm.Passage{outing}, "10월 17일", ""},
		"goes_on": {"출장을 가면 호텔 숙박비를 회사에서 돌려받을 수 있는지 자세히 알려 줘", "한도는?", []llm.Passage{card, trip}, "8만 원", "50만 원"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := extractive.New().Generate(t.Context(), llm.Request{Purpose: llm.ForAnswer, Passages: c.passages, Messages: []llm.Message{
				{Role: llm.User, Content: c.before}, {Role: llm.Assistant, Content: "문서에서 이 질문의 답을 찾지 못했어요."}, {Role: llm.User, Content: c.question},
			}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if said := r.Message.Content; !strings.Contains(said, c.want) || c.not != "" && strings.Contains(said, c.not) {
				t.Errorf("%s is answered with %s", c.question, said)
			}
		})
	}
}

// TestAVerbAloneGoesOn: who asks for what is done with a thing speaks of the one before, however many such
// questions are between.
func TestAVerbAloneGoesOn(t *testing.T) {
	t.Parallel()
	passages := []llm.Passage{
		{N: 1, Title: "재택근무 › 해외에서 일하기", Text: "해외에서 일하려면 보안팀의 승인을 받아야 합니다."},
		{N: 2, Title: "연차 휴가 › 연차 신청 방법", Text: "연차는 3일 전까지 근태 시스템에서 신청합니다. 팀장이 승인하면 확정됩니다."},
		{N: 3, Title: "Remote work › Working abroad", Text: "Working abroad is approved by the security team."},
		{N: 4, Title: "Annual leave › Requesting annual leave", Text: "Request annual leave 3 days ahead. It is final when your team lead approves it."},
	}
	for name, c := range map[string]struct {
		turns     []string
		want, not string
	}{
		"who":            {[]string{"연차 신청은 어떻게 해?", "…", "누가 승인해?"}, "팀장이 승인", "보안팀"},
		"who, English":   {[]string{"How do I request annual leave?", "…", "who approves?"}, "team lead", "security"},
		"behind another": {[]string{"연차 신청은 어떻게 해?", "…", "언제까지 해?", "…", "누가 승인해?"}, "팀장이 승인", "보안팀"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Passages: passages, Messages: said(c.turns...)}).Message.Content
			if !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
				t.Errorf("answered %q", got)
			}
		})
	}
}
