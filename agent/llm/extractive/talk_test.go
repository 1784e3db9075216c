package extractive_test

import (
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestNewcomersFirstWords have an answer that fits, without documents and tools.
func TestNewcomersFirstWords(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"좋은 하루 되세요":                     "또 만나요",
		"너무 배고파":                        "그러시군요",
		"심심해":                           "크리스마스까지",
		"good morning! how's it going?": "All good here",
		"you're awesome":                "Thank you",
		"아 진짜 답답하네 왜 이렇게 말을 못 알아들어": "죄송해요",
		"it doesn't work":           "What isn't working?",
		"이거 왜 안 돼요?":                "무엇이 안 되나요?",
		"테스트":                       "잘 되고 있어요",
		"점심 뭐 먹지?":                  "직접 고르셔야",
		"뭐 할 줄 알아?":                 "할 수 있는 일",
		"100달러면 원화로 얼마?":            "환율을 몰라서",
		"1,250,000 KRW in USD?":     "no exchange rates",
		"no, i meant the other one": "the beginning of our conversation",
		"what did I miss?":          "no channel messages",
		"점심 메뉴 투표 올려줘: 김치찌개, 돈까스":                            "대신 하는 것은",
		"how do you say thank you in japanese":               "can't write",
		"can you ask the team when they're free":             "can't do that for you",
		"hey there 👋 just got added here. what are you for?": "I'm Maru",
		"what can you do besides answering questions?":       "I'm Maru",
		"you already told me that three times":               "sorry",
		"계속 같은 말만 하네":                                        "죄송해요",
		"덕분에 살았다 ㅋㅋㅋ 고마워~":                                   "천만에요",
		"제 사번은 4410번이고 부서는 인사팀입니다. 감사합니다":                    "기억해 둘게요",
		"I work in Busan.":              "remember",
		"i'm bored tell me a joke":      "can't write",
		"요약해줘":                          "보이지 않아요",
		"compare these two files":       "can't see what you mean",
		"그거 말고 다른 거":                    "보이지 않아요",
		"영어로 대답해줘":                      "질문하신 언어로",
		"앞으로는 존댓말 써줘":                   "늘 해요체로",
		"be more formal with me please": "one manner",
		"keep your answers short":       "shorter or longer",
		"답변은 짧게 해줘":                     "답의 길이",
	} {
		if got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(q)}).Message.Content; !strings.Contains(got, want) {
			t.Errorf("%q: %q", q, got)
		}
	}
}

// TestFailuresBehindAQuestion: what doesn't work was named by the question before.
func TestFailuresBehindAQuestion(t *testing.T) {
	t.Parallel()
	passages := []llm.Passage{{N: 1, Title: "VPN", Text: "VPN이 안 되면 비밀번호를 다시 설정합니다. VPN stops working when the password is older than 90 days. The café is not open on Sundays."}}
	for _, c := range []struct{ before, question, want string }{
		{"How do I set up the VPN?", "it doesn't work", "90 days"},
		{"Where is the café?", "is it not open?", "on Sundays"},
		{"VPN 설정 알려줘", "해봤는데 안 돼요", "비밀번호를 다시"},
		{"hi", "it doesn't work", "What isn't working?"},
		{"안녕", "이거 왜 안 돼요?", "무엇이 안 되나요?"},
	} {
		req := llm.Request{Purpose: llm.ForAnswer, Passages: passages, Messages: []llm.Message{{Role: llm.User, Content: c.before}, {Role: llm.Assistant, Content: "…"}, {Role: llm.User, Content: c.question}}}
		if got := generate(t, req).Message.Content; !strings.Contains(got, c.want) {
			t.Errorf("%q behind %q: %q", c.question, c.before, got)
		}
	}
}

// TestMenusAreQuoted has a menu among the documents decide what to eat.
func TestMenusAreQuoted(t *testing.T) {
	t.Parallel()
	got := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said("오늘 점심 뭐 먹지?"), Passages: []llm.Passage{{N: 1, Title: "구내식당", Text: "오늘 점심 메뉴는 김치찌개와 잡곡밥이다."}}})
	if !strings.Contains(got.Message.Content, "김치찌개") {
		t.Errorf("%q", got.Message.Content)
	}
}

// TestSharesAreCalculated divides an amount among people.
func TestSharesAreCalculated(t *testing.T) {
	t.Parallel()
	expectCalls(t, []call{
		{"7명이 18만 2천원 나눠 내면 한 사람당 얼마씩이야", "calculator", `{"expression":"((18*10000+2*1000))/7"}`},
		{"12만 8천원을 4명이서 나누면 얼마야?", "calculator", `{"expression":"(12*10000+8*1000)/4"}`},
		{"3명이 90000원을 나누면?", "calculator", `{"expression":"(90000)/3"}`},
		{"split $184.50 between 6 people with a 20% tip", "calculator", `{"expression":"(184.50)*(1+20/100)/6"}`},
		{"split 90 by 4", "calculator", `{"expression":"(90)/4"}`},
		{"12.5만 원 4명이 나누면?", "calculator", `{"expression":"(12.5*10000)/4"}`},
		{"90000 4명이 나누면?", "calculator", `{"expression":"90000/4"}`},
	})
	for _, q := range []string{"12명이 나누면 얼마야?", "1. 5명이 나누면 얼마야?"} {
		if resp := generate(t, llm.Request{Purpose: llm.ForAnswer, Messages: said(q), Tools: tools()}); len(resp.Message.ToolCalls) > 0 {
			t.Errorf("%q: %+v", q, resp.Message.ToolCalls)
		}
	}
}

// TestWhatIsPointedAt: something said before, a quoted message or a file is what a request points at.
func TestWhatIsPointedAt(t *testing.T) {
	t.Parallel()
	earlier := []llm.Message{{Role: llm.User, Content: "The release moved to Friday."}, {Role: llm.Assistant, Content: "…"}}
	for name, messages := range map[string][]llm.Message{
		"said before": append(earlier, said("summarise this")...),
		"a file":      said("summarise this\n" + llm.SharedFiles + "\n- plan.md"),
	} {
		req := llm.Request{Purpose: llm.ForAnswer, Messages: messages, Passages: []llm.Passage{{N: 1, Title: "plan", Text: "The release is on Friday. It needs a review."}}}
		if got := generate(t, req).Message.Content; strings.Contains(got, "can't see what you mean") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
