package extractive_test

import (
	"strings"
	"testing"
)

// TestTwoQuestionsInOne: each is answered by itself, and half an answer is not given as a whole one.
func TestTwoQuestionsInOne(t *testing.T) {
	t.Parallel()
	const (
		en = "Stall agreement, 4 (Fee)\nThe stall fee is 90 euros a day.\n\n" +
			"Stall agreement, 5 (Payment)\nThe stall fee is paid on the last day of the market.\n\n" +
			"Stall agreement, 6 (Cleaning)\nThe Host cleans the aisles every evening."
		ko = "매대 계약서, 제4조(자릿세)\n① 자릿세는 하루 9만원으로 한다.\n\n매대 계약서, 제5조(지급)\n① 자릿세는 장이 끝나는 날까지 낸다.\n\n매대 계약서, 제6조(청소)\n① 통로 청소는 주최자가 한다."
	)
	for _, c := range []struct {
		exchange
		too string
	}{
		{exchange{en, "", "How much is the stall fee and when is it paid?", "90 euros"}, "last day of the market"},
		{exchange{en, "", "How much is the stall fee and who cleans the aisles?", "90 euros"}, "The Host cleans"},
		{exchange{ko, "", "자릿세 얼마고 언제까지 내?", "9만원"}, "장이 끝나는 날까지"},
		{exchange{ko, "", "자릿세는 얼마고 통로 청소는 누가 해?", "9만원"}, "주최자가 한다"},
	} {
		if got := expect(t, c.exchange, 2); !strings.Contains(got, c.too) {
			t.Errorf("%s is answered with half: %s", c.question, got)
		}
	}
}
