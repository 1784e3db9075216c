package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

func TestAsksPeople(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"수습 끝났어?": true, "비밀번호 바꾸셨나요?": true, "점심 뭐 먹을래?": true, "영화 보러 갈래요?": true, "김민수 씨는 어디 계세요?": true,
		"어제 결재하셨습니까?": true, "did you see it?": true, "has payroll gone out?": true, "hey, how was your trip?": true, "shall we go?": true,
		"Hey Dana! How's it going?": true, "Where was that taken?": true, "Nice! Any idea where it is?": true, "퇴근하고 뭐 하지": true, "비밀번호 뭐였더라": true, "나 다른 거 할까": true,
		"연차 써도 될까요?": false, "피싱 메일을 받으면 어떻게 하지?": false, "연차는 며칠이지?": false, "Hi all! How do I book a room?": false, "what is the return policy?": false,
		"경업 금지 조항이 있어?": false, "연차는 며칠 있죠?": false, "언제부터 쓰겠습니까?": false, "휴가는 어떻게 신청해?": false, "수습 기간은 얼마나 돼?": false, "이래도 되나요?": false,
		"뭐 입고 가지": true, "우리 내일 만날까": true, "나 이거 할 수 있을까": true, "내가 잘못한 건가요?": true, "언제 가지": true, "지금 뭐 하는 건가요?": true,
		"재택은 며칠까지 가능하지": false, "경비는 언제까지 내지": false, "택시비 청구할 수 있을까?": false, "교육비 지원해 주는 건가요?": false, "반차 써도 될까": false,
		"사고는 누구한테 말하지": false, "명함은 어디로 신청하지": false, "주말 근무도 수당에 포함되는 건가요?": false, "영수증을 꼭 내야 하는 건가요?": false,
		"what's new?": true, "Hi Dana, what's next for you?": true, "Is this your dog?": true, "Thanks! Have a nice day": true, "Hey Dana, nice photo!": true, "Where is it?": true,
		"Thanks. How many days of leave do I have?": false, "Hi Support, how do I reset my password?": false, "what's new in the leave policy?": false,
		"What is your refund policy?": false, "Where is it documented how leave works?": false, "Great, who approves my expenses?": false, "Do you ship to Busan?": false,
		"What are your opening hours?": false, "Is it allowed to work from abroad?": false, "Hi Dana, when is the deadline?": false, "what is next in the onboarding?": false,
		"Who's got the company card?": true, "Whose laptop is in the meeting room?": true, "who took my charger?": true, "who is coming on Friday?": true,
		"Whose job is it to approve leave?": false, "who is using what database in the backend?": false, "whose mug is it?": true, "who is using the printer?": true,
		"Whose approval is needed for leave?": false, "who has access to payroll?": false, "who is responsible for security?": false, "Whose signature do I need?": false,
		"how do I apply for leave?": false, "who approves expenses?": false, "can I carry over days?": false, "is there a dress code?": false, "": false,
	} {
		if got := intent.AsksPeople(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
