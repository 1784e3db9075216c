package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

func TestChats(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]intent.Chatter{
		"심심해": intent.ChatterBored, "im bored": intent.ChatterBored, "나 지금 너무 심심하다ㅠㅠ": intent.ChatterBored,
		"퇴근하고 싶다": intent.ChatterLow, "I'm so tired today": intent.ChatterLow, "배고파 ㅠㅠ": intent.ChatterLow, "요즘 일하기 싫다": intent.ChatterLow, "ugh, I had a rough day": intent.ChatterLow,
		"오늘 기분 좋아!": intent.ChatterGlad, "I'm so happy today!": intent.ChatterGlad,
		"최고야!": intent.ChatterPraise, "you are great": intent.ChatterPraise, "good bot": intent.ChatterPraise,
		"아 진짜 답답하네 왜 이렇게 말을 못 알아들어": intent.ChatterScolds, "this is useless. you never understand anything": intent.ChatterScolds, "stupid bot": intent.ChatterScolds,
		"너 바보야?": intent.ChatterScolds, "장난해?": intent.ChatterScolds, "지금 장난하냐": intent.ChatterScolds, "너 왜 자꾸 모른다고 해": intent.ChatterScolds, "왜 맨날 없다고만 해?": intent.ChatterScolds,
		"good morning! how's it going?": intent.ChatterHow, "잘 지내?": intent.ChatterHow,
		"테스트 중입니다": intent.ChatterTest, "test 123": intent.ChatterTest, "are you there?": intent.ChatterTest,
		"점심 뭐 먹지?": intent.ChatterChoice, "what should I have for lunch": intent.ChatterChoice,
		"how's life treating you": intent.ChatterHow, "are you having a good day": intent.ChatterHow, "nice to meet you!": intent.ChatterHow, "shut up you idiot": intent.ChatterScolds, "만나서 반가워": intent.ChatterHow,
		"it doesn't work": intent.ChatterFails, "It doesn’t work.": intent.ChatterFails, "doesnt work for me": intent.ChatterFails, "Nothing is working, what happened?": "", "nothing works": intent.ChatterFails, "this is broken": intent.ChatterFails,
		"Doesn't work anymore": intent.ChatterFails, "It's not working as expected!": intent.ChatterFails, "it just doesn't work": intent.ChatterFails, "why is it not working?": intent.ChatterFails, "it keeps crashing": intent.ChatterFails, "help, I'm stuck": intent.ChatterFails, "something went wrong": intent.ChatterFails, "i get an error": intent.ChatterFails,
		"왜 안 되나요?": intent.ChatterFails, "이건 왜 안 되는 건가요?": intent.ChatterFails, "안 돼요": intent.ChatterFails, "작동이 안 돼요": intent.ChatterFails, "현재 아예 작동이 안됩니다.": intent.ChatterFails, "죄송한데 작동이 전혀 안되는데......": intent.ChatterFails, "이거 왜 안 돼?": intent.ChatterFails, "고장났어요": intent.ChatterFails, "계속 오류가 나요": intent.ChatterFails, "작동을 안하는거 같네요ㅠ": intent.ChatterFails,
		// With a subject, or for a reason.
		"왜 안된다고 해?": "", "왜 안 된다고 하세요?": "", "왜 없다고 하세요?": "",
		"그건 안 되나요?": "", "안 되는 건가요?": "", "되지 않나요?": "", "뭔가 문제 있나요?": "", "is this not open?": "", "it's not open": "", "didn't it start?": "",
		"로그인이 안 돼요": "", "왜 재택이 안 되나요?": "", "프린터가 고장났어요": "", "my laptop doesn't work": "", "the VPN keeps crashing": "", "why does the door not open?": "", "does it work on Mac?": "", "it works": "", "안 된 사람": "", "문제 있으면 누구한테 말해?": "", "nothing to report": "", "I have a problem with my payslip": "", "이월이 안 되나요?": "",
		"are you open today": "", "is it ok if I work from home?": "", "how do I meet the people team?": "", "what is new in the policy?": "", "are you sure": "", "what is my job grade?": "",
		"피곤할 때 병가 써도 돼?": "", "오늘 점심 메뉴 뭐야?": "", "스트레스 상담 신청 어떻게 해?": "", "짜증나는 고객 응대 매뉴얼": "", "테스트 서버 주소 알려줘": "", "힘든 일을 도와주는 프로그램이 있어?": "",
		"how are you supposed to request leave?": "", "test the login page": "", "the heating is broken": "", "what should I have ready for the audit?": "", "our best customers": "", "is the parking useless": "", "great, and in the second year?": "",
	} {
		if got, ok := intent.Chats(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSubjectsAreNoSmallTalk has short messages for documents that share words with small talk.
func TestSubjectsAreNoSmallTalk(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"우울증 상담은?", "스트레스 관리는?", "스트레스 검사 언제?", "스트레스 휴가", "스트레스 테스트는?", "피곤할 때 휴식은?", "행복포인트는?", "행복주택 신청방법", "지루성 피부염 보험?", "점심 추천", "점심 메뉴 추천해줘",
		"테스트 서버", "테스트 계정 신청", "테스트 2차", "작동되나요?", "되나요?", "짜증 고객 응대", "심심풀이 게시판", "졸음운전 예방 교육", "기분장애 휴직", "우울감 상담 지원", "행복 복지 포인트", "금요일 퇴근 시간",
		"즐거운 직장 만들기", "칭찬 게시판", "칭찬 사원 추천", "최고 등급 기준", "최고 한도는?", "천재지변 휴가", "완벽 가이드", "도움말 센터 위치", "멋진 사무실 신청", "대단위 프로젝트", "훌륭한 직원상", "귀여운 굿즈 신청",
		"바보상자 반납", "실망 고객 응대", "저녁 식대 한도", "저녁 추천 식당", "아침 식사 제공?", "간식 추천 목록", "야식 비용 처리", "밥 먹었을 때 영수증", "퇴근하고 싶을 때 절차는?", "쉬고 싶어요", "집에 가고 싶을 때 조퇴는?",
		"답답한 회의실 환기", "장난감 반입 되나요?", "왜 결재가 자꾸 안 된다고 해?", "바보 같은 질문인데 연차 며칠이야?", "이해를 못하는 고객 응대", "잘 지내는 방법", "거기 있는 프린터", "오늘 하루 휴가", "힘든 업무 수당", "외로움 상담", "배고플 때 간식은?", "the app doesn't work", "my badge is broken",
		"it is slow", "wrong", "what can we order?", "what can I get?", "what can I get for lunch", "what's new?", "is everything ok?",
		"what should we order?", "stress management", "stress leave", "test server", "test account access", "test 2 results", "the best plan",
		"best practice", "great benefits", "good conduct", "nice to have list", "happy hour", "boring task rotation", "tired driver policy",
		"sad news policy", "burnout help", "down today", "it is down again", "bad answer rate", "is it working?", "are you open", "does this work?",
		"can you tell me about life insurance", "can you tell me about life", "how is the day rate", "how are things ordered", "what's going on",
		"what is happening", "that didn't help", "this is useless", "not helpful", "need a vacation", "i need a break", "hello world",
		"what should I get for the audit", "what do we get", "what can I watch", "smart pricing", "the genius bar", "cool roof", "angry customer",
		"annoyed client", "is it good", "good friday", "you never know policy", "shut down",
	} {
		if tone, ok := intent.Chats(text); ok {
			t.Errorf("%q is %s", text, tone)
		}
		if intent.OfAssistant(text) {
			t.Errorf("%q is about the assistant", text)
		}
		if about, ok := intent.AsksAbout(text); ok {
			t.Errorf("%q is about %s", text, about)
		}
	}
}

// TestMenusMayAnswer has what to eat looked up, and no other small talk.
func TestMenusMayAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"점심 뭐 먹지?": true, "what should we eat?": true, "what should I have for lunch?": true, "잘 지내?": false, "how are you?": false} {
		if intent.AsksToKnow(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
