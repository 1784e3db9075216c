package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

func TestChats(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]intent.Chatter{
		"심심해": intent.ChatterBored, "im bored": intent.ChatterBored, "나 지금 너무 심심하다ㅠㅠ": intent.ChatterBored,
		"퇴근하고 싶다": intent.ChatterLow, "I'm so tired today": intent.ChatterLow, "배고파 ㅠㅠ": intent.ChatterLow, "ugh, I hate mondays": intent.ChatterLow,
		"오늘 기분 좋아!": intent.ChatterGlad, "I'm so happy today!": intent.ChatterGlad,
		"최고야!": intent.ChatterPraise, "you are great": intent.ChatterPraise, "good bot": intent.ChatterPraise,
		"아 진짜 답답하네 왜 이렇게 말을 못 알아들어": intent.ChatterScolds, "this is useless. you never understand anything": intent.ChatterScolds, "stupid bot": intent.ChatterScolds,
		"good morning! how's it going?": intent.ChatterHow, "잘 지내?": intent.ChatterHow,
		"테스트 중입니다": intent.ChatterTest, "test 123": intent.ChatterTest, "are you there?": intent.ChatterTest,
		"점심 뭐 먹지?": intent.ChatterChoice, "what should I have for lunch": intent.ChatterChoice,
		"how's life treating you": intent.ChatterHow, "are you having a good day": intent.ChatterHow, "nice to meet you!": intent.ChatterHow, "shut up you idiot": intent.ChatterScolds, "만나서 반가워": intent.ChatterHow,
		// With a subject.
		"are you open today": "", "is it ok if I work from home?": "", "how do I meet the people team?": "", "what is new in the policy?": "", "are you sure": "", "what is my job grade?": "",
		"피곤할 때 병가 써도 돼?": "", "오늘 점심 메뉴 뭐야?": "", "스트레스 상담 신청 어떻게 해?": "", "짜증나는 고객 응대 매뉴얼": "", "테스트 서버 주소 알려줘": "", "힘든 일을 도와주는 프로그램이 있어?": "",
		"how are you supposed to request leave?": "", "test the login page": "", "the heating is broken": "", "what should I have ready for the audit?": "", "our best customers": "", "is the parking useless": "", "great, and in the second year?": "",
	} {
		if got, ok := intent.Chats(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
