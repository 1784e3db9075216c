package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestRemindsOfAnEvent: what is to be done when something is over is a reminder whose time is asked for. A question about what to do then is
// none, and neither is what others are to be told.
func TestRemindsOfAnEvent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"회의 끝나면 회의록 올리라고 알려줘":                           "회의 끝나면 회의록 올리기",
		"출근하자마자 창문 열고 환기하라고 알려주세요":                      "출근하자마자 창문 열고 환기하기",
		"after the meeting remind me to send the notes": "send the notes",
		"when do you remind me to pay?":                 "",
		"점심 먹고 나서 약 챙기라고 알려줘":                           "점심 먹고 나서 약 챙기기",
		"팀원들이 물어보면 회의실 3번이라고 알려줘":                       "",
		"규정 보면 며칠이라고 알려줘":                               "",
		"지원자가 연락하면 탈락이라고 알려줘":                           "",
		"손님이 오면 1층에서 기다리라고 알려줘":                         "",
		"고객이 물으면 메일 보내라고 알려줘":                           "",
		"행사 끝나면 3번 출구라고 알려줘":                            "",
		"집에 가면 12월 계획 세우라고 알려줘":                         "",
		"회의 끝나고 회의록 정리하라고 좀 알려줘":                        "회의 끝나고 회의록 정리하기",
		"고객이 전화하면 뭐라고 알려줘야 해?":                          "",
		"비밀번호를 잊으면 어떻게 하라고 알려줘?":                        "",
		"에러가 나면 어디를 보라고 했는지 알려줘":                        "",
		"휴가를 쓰면 누구한테 말하라고 했는지 알려줘":                      "",
		"회의 끝나면 결과 알려줘":                                 "",
		"출장 가면 숙박비 얼마까지 되는지 알려줘":                        "",
		"퇴사하면 연차수당 나오는지 알려줘":                            "",
		"이 문서 보면 뭐부터 하라고 돼 있어? 알려줘":                     "",
		"계약이 끝나고 뭘 반납하라고 했는지 알려줘":                       "",
		"에러 나면 재시작하라고 안내문에 쓰여 있어?":                      "",
		"배포하면 공지하라고 팀 규칙에 있어":                           "",
		"장비가 고장 나면 총무팀에 연락하라고 되어 있는데 맞아?":               "",
	} {
		body, ok := intent.RemindsUntimed(text)
		if ok != (want != "") || ok && body != want {
			t.Errorf("%s: %q %v, want %q", text, body, ok, want)
		}
	}
}
