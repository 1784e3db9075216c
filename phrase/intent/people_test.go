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
		"how do I apply for leave?": false, "who approves expenses?": false, "can I carry over days?": false, "is there a dress code?": false, "": false,
	} {
		if got := intent.AsksPeople(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
