package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/phrase"
)

// TestDocumentsOrConversation: what somebody does or wants is no answer to how it is with it; what they said that
// something is, and what they ask back for, is.
func TestDocumentsOrConversation(t *testing.T) {
	t.Parallel()
	expectRoute(t, "rag", [][]string{
		{"나는 다음 주에 연차를 쓰려고 해", "네", "연차는 며칠이야?"},
		{"나는 다음 주에 연차를 쓰려고 해", "네", "내 연차는 며칠이야?"},
		{"내일 병원에 가", "네", "병원에 가려면 병가를 써야 해?"},
		{"I booked a meeting room yesterday", "ok", "how do I book a meeting room?"},
		{"I am going to work from abroad in May", "ok", "Can I work from abroad?"},
		{"우리 팀은 재택근무를 좋아해", "네", "우리 팀 재택근무는 누가 승인해?"},
		{"회의는 목요일 3시로 하자", "네", "회의는 어디에서 해?"},
		{"My laptop is in the repair shop", "ok", "When is my laptop replaced?"},
		{"오늘 회식 얘기 들었어", "네", "회식비는 얼마까지 돼?"},
		{"이야기 요약 규정"},
		{"회의록 정리 방법 알려줘"},
		{"제품 하자"},
		{"투자 담당자"},
	})
	expectRoute(t, "agent", [][]string{
		{"우리 팀장 이름은 김영희야", "네", "우리 팀장 이름이 뭐였지?"},
		{"프로젝트 코드네임은 한라산이야", "네", "프로젝트 코드네임이 뭐였더라?"},
		{"my dog is called Bori", "ok", "what was my dog called?"},
		{"The code name is Orion", "ok", "what was the code name again?"},
		{"회의는 목요일 3시로 하자", "네", "회의 언제 하기로 했지?"},
		{"회의는 목요일 3시로 하자", "네", "회의는 몇 시야?"},
		{"나는 부산에 살아", "네", "나는 어디에 살아?"},
		{"내 노트북은 맥북이야", "네", "내 노트북은 뭐야?"},
		{"회의는 목요일 3시로 하자"},
		{"그럼 내일 만납시다"},
		{"지금까지 얘기 정리해 줘"},
		{"우리 대화 내용 좀 간단히 요약해줘"},
		{"이 스레드 요약해 줘"},
		{"논의한 거 정리 부탁"},
		{"Can you summarize our conversation so far?"},
		{"please recap"},
		{"sum up this thread"},
		{"데모는 금요일이야", "네", "아 아니다 목요일이야"},
		{"the demo is on Friday", "ok", "actually it's on Thursday"},
		{"네 감사합니다"},
		{"오케이 고마워"},
		{"ok thanks"},
		{"됐어"},
		{"아니야 괜찮아"},
		{"never mind"},
	})
}

// TestWhatWasSaidIsTold: asked back, a person gets their own words, and of a thread everybody's with their names.
func TestWhatWasSaidIsTold(t *testing.T) {
	t.Parallel()
	words := func(who, text string) llm.Message { return llm.Message{Role: llm.User, Author: who, Content: text} }
	for name, c := range map[string]struct {
		said []llm.Message
		want []string
		not  string
	}{
		"agreed":     {said("회의는 목요일 3시로 하자", "네", "회의 언제 하기로 했지?"), []string{"“회의는 목요일 3시로 하자”"}, ""},
		"once known": {said("우리 팀장 이름은 김영희야", "네", "연차는 며칠이야?", "15일", "우리 팀장 이름이 뭐였지?"), []string{"김영희"}, "15일"},
		"recap":      {said("회의는 목요일 3시로 하자", "네", "장소는 3층이야", "네", "지금까지 얘기 정리해 줘"), []string{"목요일 3시", "3층"}, ""},
		"put right":  {said("데모는 금요일이야", "네", "데모 언제야?", "금요일", "아 아니다 목요일이야", "네", "데모가 언제라고 했지?"), []string{"금요일이야", "목요일이야"}, ""},
		"put right, English": {said("the demo is on Friday", "ok", "actually it's on Thursday", "ok", "sorry, make that Monday", "ok", "when is the demo?"),
			[]string{"Friday", "make that Monday"}, ""},
		"not put right":  {said("데모는 금요일이야", "네", "회의는 화요일이야", "네", "아니다 수요일이야", "네", "데모가 언제라고 했지?"), []string{"금요일이야"}, "수요일"},
		"thanks":         {said("오케이 고마워"), []string{phrase.Say("ko", "extractive.welcome")}, ""},
		"waved aside":    {said("아니야 괜찮아"), []string{phrase.Say("ko", "extractive.all_right")}, ""},
		"waved, English": {said("ok never mind"), []string{phrase.Say("en", "extractive.all_right")}, ""},
		"recap, nobody":  {said("summarize our conversation so far"), []string{"first"}, ""},
		"recap of a thread": {[]llm.Message{words("철수", "회의는 목요일이야"), {Role: llm.Assistant, Content: "네"}, words("영희", "장소는 3층이야"),
			{Role: llm.Assistant, Content: "네"}, words("철수", "이 스레드 요약해 줘")}, []string{"철수: 회의는 목요일이야", "영희: 장소는 3층이야"}, "하신 말씀"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: c.said}).Message.Content
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q lacks %q", got, w)
				}
			}
			if c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%q has %q", got, c.not)
			}
		})
	}
}

// TestOwnWordsWhereDocumentsDoNotSay: nothing that was quoted fits, and the person said it themselves.
func TestOwnWordsWhereDocumentsDoNotSay(t *testing.T) {
	t.Parallel()
	passages := []llm.Passage{{N: 1, Title: "회의실 › 예약", Text: "회의실은 캘린더에서 예약합니다."}}
	ask := func(turns ...string) string {
		return generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(turns...), Passages: passages}).Message.Content
	}
	if got := ask("나는 다음 주에 연차를 쓰려고 해", "네", "연차는 며칠이야?"); !strings.Contains(got, "연차를 쓰려고 해") {
		t.Errorf("said %q", got)
	}
	if got := ask("나는 회의실을 찾고 있어", "네", "회의실은 어떻게 예약해?"); !strings.Contains(got, "캘린더에서 예약") {
		t.Errorf("said %q", got)
	}
}
