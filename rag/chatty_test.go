package rag_test

import (
	"testing"

	"maru/rag"
)

func TestUnchatty(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"연차는 몇일이에여":                               "연차는 며칠이에요",
		"연차 몇일이예요?":                               "연차 며칠이에요?",
		"재택 되나여? 신청은 어떻게 해용~":                     "재택 되나요? 신청은 어떻게 해요~",
		"누구인가염":                                   "누구인가요",
		"급여 내용과 참여 대상, 가용 좌석":                     "급여 내용과 참여 대상, 가용 좌석",
		"몇 일 연속이면 연차 사용":                          "몇 일 연속이면 연차 사용",
		"How many days?":                          "How many days?",
		"how many ppl fit, do u know? ask ur mgr": "how many people fit, do you know? ask your manager",
		"U-turn, the uppl file":                   "U-turn, the uppl file",

		"퇴사할때 얼마전에 말해야돼?":    "퇴사할 때 얼마 전에 말해야 돼?",
		"자전거 세울데 있어?":        "자전거 세울 데 있어?",
		"프린터 쓸데있나":           "프린터 쓸 데 있나",
		"할수있나요":              "할 수 있나요",
		"연차 남은거 돈으로 주나요":     "연차 남은 거 돈으로 주나요",
		"노트북 잃어버린거같아 어떡해":    "노트북 잃어버린 거 같아 어떡해",
		"몇시에 몇명이 와? 몇몇은":     "몇 시에 몇 명이 와? 몇몇은",
		"비번 몇글자 이상이어야됨?":     "비번 몇 글자 이상이어야 돼?",
		"월급 언제 들어옴?":         "월급 언제 들어와?",
		"야근하면 밥값 줌ㅋㅋ":        "야근하면 밥값 줘ㅋㅋ",
		"연봉협상 언제함?":          "연봉협상 언제 해?",
		"회식비 얼마임":            "회식비 얼마야",
		"주차장 있음??":           "주차장 있어??",
		"부가세 포함?":            "부가세 포함?",
		"내 명함, 사물함":          "내 명함, 사물함",
		"필수 교육 있나요? 실수도 있나요": "필수 교육 있나요? 실수도 있나요",
		"근거는? 선거 때는 쉬나":      "근거는? 선거 때는 쉬나",
		"여야합의, 전문 분야하고 시야":   "여야합의, 전문 분야하고 시야",
		"담당 후임":              "담당 후임",
	} {
		if got := rag.Unchatty(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestChattyHow writes 어케 and 어캐 out.
func TestChattyHow(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"연차 신청 어케함": "연차 신청 어떻게 해", "연차신청어케하나요": "연차신청 어떻게 하나요", "어캐 신청해요": "어떻게 신청해요", "케어케이스 신청": "케어케이스 신청",
	} {
		if got := rag.Unchatty(said); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}
