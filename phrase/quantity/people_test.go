package quantity_test

import (
	"testing"

	"maru/phrase/quantity"
)

// TestPeople has answers to how many people come, and answers that hold no one number of them.
func TestPeople(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]float64{
		"여덟 명이요": 8, "스무 명": 20, "스물세 명": 23, "스물 셋이요": 23, "열두 명 정도요": 12, "열둘": 12, "하나": 1, "두 분이에요.": 2, "저희 팀은 열한 명이에요": 11, "총 서른다섯 명입니다!": 35, "십이 명": 12, "이십 명이요": 20, "한 열 명쯤": 10, "음, 다섯이요": 5, "마흔두 명": 42,
		"twelve": 12, "Twelve of us.": 12, "about twenty-five people": 25, "there are eight people": 8, "we’re nineteen, I think": 19, "one": 1,
	} {
		if n, ok := quantity.People(answer); !ok || n != want {
			t.Errorf("%s: %v, %v; want %v", answer, n, ok, want)
		}
	}
	for _, answer := range []string{
		"열두어 명", "대여섯 명", "두세 명", "서너 명이나 다섯 명", "여덟에서 열 명", "여덟 명 아니면 아홉 명", "한 번 물어볼게요", "그건 하나도 몰라", "이 사람", "몇 명", "백 다섯 명", "한 분께 물어볼게요", "세 번", "두 시", "아직 몰라요", "", "우리 팀 한두 명", "다섯 시에 여섯 명",
		"two dozen people", "no one knows", "a dozen or so", "three or four", "one hundred five people", "one moment", "ten past six", "not one", "somebody", "two of us can't come",
	} {
		if n, ok := quantity.People(answer); ok {
			t.Errorf("%s: %v", answer, n)
		}
	}
}
