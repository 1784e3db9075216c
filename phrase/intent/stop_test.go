package intent_test

import (
	"strings"
	"testing"

	"maru/phrase/intent"
)

func TestStop(t *testing.T) {
	t.Parallel()
	for _, text := range lines(`stop
Stop!
please stop
stop it
cancel this please
abort
ok stop
그만
이제 그만해
그만해 줘
잠깐 멈춰
멈춰주세요
중지
중단해요
취소해줘
취소할게요
스톱
야 그만해요
정지`) {
		if !intent.Stops(text) {
			t.Errorf("%q does not stop", text)
		}
	}
	for _, text := range lines(`stop by the office
don't stop
how do I cancel this order
취소 규정 알려줘
그만큼
멈춤 버튼은 어디야
중지 손가락이 아파
skip
no
네`) {
		if intent.Stops(text) {
			t.Errorf("%q stops", text)
		}
	}
}

func TestCourtesy(t *testing.T) {
	t.Parallel()
	for _, text := range lines(`thanks!
Thank you
thank you so much
got it
sounds good
+1
👍
🎉🎉
ㅋㅋㅋㅋ
네ㅋㅋ
네 알겠습니다
감사합니다!!
고마워요 ㅎㅎ
수고하셨습니다
확인했습니다
헐 대박
lol nice
...`) {
		if !intent.Courtesy(text) {
			t.Errorf("%q is no courtesy", text)
		}
	}
	for _, text := range lines(`thanks, and when is lunch
감사 인사는 어디에 써?
네 그럼 2번은?
ok let's meet at 3
확인 부탁드려요
진행해 주세요
연차
3
good morning everyone`) {
		if intent.Courtesy(text) {
			t.Errorf("%q is a courtesy", text)
		}
	}
}

func TestRemember(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"remember that my team is data":             "my team is data",
		"Please remember: the release is on Friday": "the release is on Friday",
		"remember the release is on Friday":         "the release is on Friday",
		"keep in mind that we freeze on Monday.":    "we freeze on Monday.",
		"note, I prefer tables":                     "I prefer tables",
		"don't forget that the demo is at 3":        "the demo is at 3",
		"내 부서는 인사팀이라고 기억해 줘":                        "내 부서는 인사팀이야",
		"무료 도구를 선호한다고 꼭 기억해 주세요":                    "무료 도구를 선호한다",
		"제가 오이를 싫어한다는 걸 기억해 둬":                      "제가 오이를 싫어한다",
		"앞으로 짧게 답해 달라고 기억해 줘":                       "앞으로 짧게 답해 달라",
		"회의는 3시야, 기억해 줘":                            "회의는 3시야",
		"배포는 금요일이라고 외워":                             "배포는 금요일이야",
		"내 생일은 5월 3일이야. 잊지 마!":                      "내 생일은 5월 3일이야",
		"기억해 줘: 회의는 3시":                             "회의는 3시",
		"do you remember my name?":                  "",
		"내 이름 기억해?":                                 "",
		"remember when we met":                      "",
		"note taking apps":                          "",
		"기억력이 좋아":                                   "",
		"기억해 줘":                                     "",
		"나는 그날을 기억해야 할 것 같다":                        "",
		"I remember that day":                       "",
		strings.Repeat("아주 ", 300) + "긴 말이라고 기억해 줘": "",
		"remember": "",
	} {
		got, ok := intent.Remember(text)
		if got != want || ok != (want != "") {
			t.Errorf("%.60q: %q, %v, want %q", text, got, ok, want)
		}
	}
}
