package rag_test

import (
	"testing"

	"maru/rag"
)

// TestClosest asks which sentence holds most of a question, in its words or in others for them.
func TestClosest(t *testing.T) {
	t.Parallel()
	company := []string{
		"We pay for lodging up to 120,000 won a night.", "On flights longer than 8 hours you may fly premium economy.",
		"직원이 추천한 사람이 수습을 마치면 200만 원을 지급합니다.", "노트북은 3년마다 새것으로 바꿉니다.",
		"Room: Halla, Floor: 3rd, Equipment: projector", "아이를 어린이집에 데려다주는 직원은 팀장과 상의합니다.",
	}
	for question, want := range map[string]int{
		"can I fly business on long flights?": 1, "how much is a night at a hotel?": 0, "친구 추천하면 돈 주나요": 2,
		"랩탑 언제 바꿔줘?": 3, "where is the projector": 4, "is there a dress code?": -1,
		"강아지는?": -1, "what about it?": -1, "": -1,
	} {
		if got, _ := rag.Closest(question, company); got != want {
			t.Errorf("%s: sentence %d, want %d", question, got, want)
		}
	}
	if got, _ := rag.Closest("parking", nil); got != -1 {
		t.Errorf("of no sentences it is %d", got)
	}
	if got, _ := rag.Closest("parking costs", []string{"The costs.", "Parking costs fifty.", "Parking costs sixty."}); got != 1 {
		t.Errorf("of two alike it is %d", got)
	}
}

// TestClosestShare asks how much of a question the closest sentence holds.
func TestClosestShare(t *testing.T) {
	t.Parallel()
	sentences := []string{"Parking costs fifty thousand won a month.", "사직서는 인사 시스템에 냅니다."}
	for question, c := range map[string]struct {
		at       int
		min, max float64
	}{
		"what does parking cost a month": {0, 1, 1}, "parking permit renewal deadline": {0, .1, .49},
		"사직서는 어디에 내?": {1, .5, 1}, "사직서 반려 사유 통보 기한은?": {1, .1, .49}, "is there a dress code?": {-1, 0, 0},
	} {
		if at, share := rag.Closest(question, sentences); at != c.at || share < c.min || share > c.max {
			t.Errorf("%s: sentence %d with %.2f, want %d with %.2f–%.2f", question, at, share, c.at, c.min, c.max)
		}
	}
}
