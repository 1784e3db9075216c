package answer_test

import (
	"testing"

	"maru/rag/answer"
)

// TestAskingWordsBeforeNouns: a word that asks decides what is asked for, not a noun that names a value beside it. A sentence that
// answers is quoted, and an amount is not missed where none is asked for.
func TestAskingWordsBeforeNouns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ question, text string }{
		{"수리 비용은 누가 부담하나요?", "수리 비용은 임대인이 부담한다."},
		{"이용 요금은 누가 정하나요?", "이용 요금은 운영자가 정한다."},
		{"환불 기한은 누가 늘려 주나요?", "환불 기한은 지점장이 늘려 준다."},
		{"요금이 왜 올랐나요?", "요금은 원가 상승 때문에 올랐다."},
		{"계약 기간이 왜 줄었나요?", "계약 기간은 공사 때문에 줄었다."},
		{"심사가 왜 며칠이나 늦었나요?", "심사는 서류가 빠졌기 때문에 늦었다."},
		{"요금이 오른 이유는 뭐예요?", "요금이 오른 이유는 원가 상승이다."},
		{"참가비 금액은 어디에서 확인하나요?", "참가비 금액은 1층 안내실에서 확인한다."},
		{"회의 장소는 누가 정하나요?", "회의 장소는 팀장이 정한다."},
		{"Who sets the price?", "The manager sets the price."},
		{"Where is the fee paid?", "The fee is paid at the Front Desk."},
		{"What is the reason for the fee?", "The reason for the fee is the cost of cleaning."},
		{"Why was the deadline moved?", "The deadline was moved because the hall was closed."},
		{"Who is told when the alarm rings?", "The officer is told when the alarm rings."},
	} {
		if got := answer.Best(c.question, "", []answer.Passage{{N: 1, Text: c.text}}); len(got) == 0 {
			t.Errorf("%q: %q is not quoted", c.question, c.text)
		}
		if answer.Lacks(c.question, c.text) {
			t.Errorf("%q: an amount is missed in %q", c.question, c.text)
		}
	}
}

// TestFigureNouns: a noun that names a value asks for one where nothing else is asked of it.
func TestFigureNouns(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"하루 이용 요금은?":                        true,
		"요금이 어떻게 돼요?":                       true,
		"보증금 금액 알려 줘":                       true,
		"환불 기한이 뭐예요?":                       true,
		"이 기간의 요금은요?":                       true,
		"요금을 카드로 내도 되나요?":                   false,
		"환불 기한이 지나도 되나요?":                   false,
		"요금제는 어떻게 바꿔요?":                     false,
		"언제든지 취소할 수 있나요?":                   false,
		"What is the monthly fee?":          true,
		"What does parking cost?":           true,
		"What do you charge for towels?":    true,
		"May I leave when I am ill?":        false,
		"Do you know when it opens?":        true,
		"What is the deadline?":             true,
		"What does the fee cover?":          false,
		"What happens to the deposit?":      false,
		"What city is the rent paid in?":    false,
		"What company collects the charge?": false,
	} {
		if got := answer.Lacks(question, "That is so."); got != want {
			t.Errorf("%q: a value is missed: %t", question, got)
		}
	}
}
