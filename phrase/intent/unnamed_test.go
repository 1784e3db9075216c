package intent_test

import (
	"testing"

	"maru/phrase/intent"
)

// TestPointsAtNothing tells requests that name nothing from those that name a document.
func TestPointsAtNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"요약해줘": true, "이거 요약해 주세요": true, "이 둘 비교해줘": true, "이 파일 좀 정리해줘": true, "아까 답변 다시 보여줘": true, "그거 말고 다른 거": true,
		"summarise this": true, "Can you compare these two files please?": true, "please explain this": true, "something else": true,
		"연차 규정 요약해줘": false, "이 계약서 요약해줘": false, "회의록 보여줘": false, "병가랑 연차 비교해줘": false, "연차 말고 다른 휴가": false,
		"summarise the leave policy": false, "compare this year's leave with last year's": false, "explain this rule about overtime": false, "is there something else I need?": false,
	} {
		if got := intent.PointsAtNothing(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestChoosesTongue tells wishes about the language and manner of answers from translations and questions.
func TestChoosesTongue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"be formal about the offer": false, "존댓말 쓰는 법 알려줘": false, "영어로 대답해줘": true, "앞으로 한국어로 말해 주세요": true, "please answer in English": true, "Do you speak Korean?": true, "do you speak Korean to customers?": false, "reply to me in Korean from now on": true,
		"영어로 번역해줘": false, "영어로 대답해야 하는 고객이 있어?": false, "영어로 된 규정 있어?": false, "do we have to answer in English to customers?": false, "answer in English is required where?": false,
	} {
		if got := intent.ChoosesTongue(text) || intent.ChoosesManner(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestChoosesLength tells wishes about all answers from those about one.
func TestChoosesLength(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"keep your answers short": true, "Please keep all your replies short and to the point.": true, "give me shorter answers please": true, "answer more briefly from now on": true, "make your answers a bit longer": true,
		"답변은 짧게 해줘": true, "앞으로는 간단하게 답해줘": true, "대답 좀 더 자세히 해 주세요": true, "앞으로 세 줄로 답해줘": true, "답은 핵심만 말해줘": true,
		"give me answers": false, "keep the meeting short": false, "write short replies to customers about refunds": false, "what are short answers good for?": false, "make the answers public": false,
		"연차 규정 짧게 설명해줘": false, "자세히 알려줘": false, "답변 기한은 며칠로 해야 해?": false, "고객 답변은 짧게 써야 하나요?": false,
	} {
		if got := intent.ChoosesLength(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
