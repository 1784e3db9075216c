package answer_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"maru/rag/answer"
)

// TestSeveral parts a message where both sides ask, and gives a side that leaves out its subject the one before.
func TestSeveral(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		"where do I park and how do I get a badge?":                          {"where do I park?", "how do I get a badge?"},
		"How much is it for members, and when do I have to pay?":             {"How much is it for members?", "when do I have to pay?"},
		"Can I work from home and do I need approval?":                       {"Can I work from home?", "do I need approval?"},
		"When is payday? Also, where can visitors park?":                     {"When is payday?", "where can visitors park?"},
		"I joined in May. How many days do I get? Who approves them?":        {"I joined in May. How many days do I get?", "Who approves them?"},
		"tell me where visitors register and who meets them":                 {"tell me where visitors register?", "who meets them"},
		"연차는 며칠이고 어떻게 신청해?":                                                  {"연차는 며칠인가요", "어떻게 신청해?"},
		"주차는 어디에 하고 출입증은 어떻게 받아?":                                            {"주차는 어디에 하나요", "출입증은 어떻게 받아?"},
		"재택은 며칠까지 되는데 신청은 누구한테 해?":                                           {"재택은 며칠까지 되나요", "신청은 누구한테 해?"},
		"주차는 한 달에 얼마인지, 방문객은 무료인지 궁금해요":                                      {"주차는 한 달에 얼마인지", "방문객은 무료인지 궁금해요"},
		"수습은 몇 달이고 급여는 다 나와?":                                                {"수습은 몇 달인가요", "급여는 다 나와?"},
		"급여일은 언제예요? 그리고 명세서는 어디서 봐요?":                                        {"급여일은 언제예요?", "명세서는 어디서 봐요?"},
		"재택이랑 연차 둘 다 언제까지 신청해야 돼?":                                           {"재택 언제까지 신청해야 돼?", "연차 언제까지 신청해야 돼?"},
		"병가랑 연차랑 각각 며칠이야?":                                                   {"병가 며칠이야?", "연차 며칠이야?"},
		"when do I register both overtime and leave?":                        {"when do I register overtime?", "when do I register leave?"},
		"국내와 해외 출장 숙박비 둘 다 얼마까지 돼?":                                          nil, // the last noun is of both
		"국내와 해외출장비는 각각 얼마야?":                                                 nil,
		"엄마와 아빠 육아휴직은 각각 몇 개월이야?":                                            nil,
		"신입 사원과 팀장 연차는 각각 며칠이야?":                                             nil,
		"how much are both domestic and overseas daily allowances?":          nil,
		"when are both lunch and core hours?":                                nil,
		"연차랑 반차 차이가 뭐야?":                                                     nil,
		"팀장이랑 둘 다 승인해야 돼?":                                                   nil,
		"무학대사와 정도전이 각각 주장한 곳 가운데 어디에 세웠어?":                                   nil,
		"How many signs are in this text, counting both letters and spaces?": nil,
		"do both parents and children get a day off?":                        nil,
		"I want to travel to Busan. Can you find me a train?":                nil,
		"What is the price of a seat? Can you look it up?":                   nil,
		"What is a lease? What is a loan? What is a bond? What is a share?":  nil,
	} {
		var got []string
		for i, q := range answer.Several(message) {
			got = append(got, q.Text)
			if (q.Before == "") != (i == 0) || q.Put == "" {
				t.Errorf("%q: question %d is %+v", message, i, q)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

// TestOneQuestion leaves questions whole that join conditions, things, people and clauses. One is parted, which may be read as two.
func TestOneQuestion(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/one.txt")
	if err != nil {
		t.Fatal(err)
	}
	var parted []string
	for line := range strings.Lines(string(b)) {
		if len(answer.Several(strings.TrimSpace(line))) > 0 {
			parted = append(parted, line)
		}
	}
	if len(parted) > 1 {
		t.Errorf("parted %q", parted)
	}
}
