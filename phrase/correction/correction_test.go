package correction_test

import (
	"testing"

	"maru/phrase/correction"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string][2]string{
		"아니, 화요일이 아니라 수요일이야":                    {"화요일", "수요일"},
		"500만원이 아니라 700만원이에요.":                  {"500만원", "700만원"},
		"고양이가 아니라 강아지야!":                        {"고양이", "강아지"},
		"우리 팀 회의는 화요일이 아니고 목요일 오전 10시입니다":       {"화요일", "목요일 오전 10시"},
		"No, it's Wednesday, not Tuesday.":      {"Tuesday", "Wednesday"},
		"not on Tuesday but on Wednesday":       {"Tuesday", "Wednesday"},
		"Sorry, I meant the third, not the 2nd": {"the 2nd", "the third"},
		"화요일이 아니라 수요일이야?":                       {},
		"화요일이 아니야":                              {},
		"아니":                                    {},
		"I am not sure":                         {},
		"회의는 수요일이야":                             {},
		"":                                      {},
	} {
		was, is, ok := correction.Read(sentence)
		if got := [2]string{was, is}; got != want || ok != (want[0] != "") {
			t.Errorf("%q: %q, %v, want %q", sentence, got, ok, want)
		}
	}
}

func TestOpens(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]bool{
		"actually it's on Thursday":  true,
		"No, it's Wednesday.":        true,
		"sorry, make that Monday":    true,
		"correction: 3 pm":           true,
		"아 아니다 목요일이야":                true,
		"아니, 수요일이야":                  true,
		"정정: 3시":                     true,
		"actually, is it on Friday?": false,
		"no":                         false,
		"No problem":                 false,
		"actually I like it":         false,
		"it's on Thursday":           false,
		"아니":                         false,
		"아니라고 했잖아":                   false,
		"목요일이야":                      false,
	} {
		if got := correction.Opens(sentence); got != want {
			t.Errorf("%q: %v", sentence, got)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		correction.Read("and then we go on with what was said about the budget of the workshop")
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string][2]string{
		"보증금 말고 계약금 물어본거야":                    {"보증금", "계약금"},
		"아니 그거말고 벌칙 물어본거":                     {"그거", "벌칙"},
		"아니요, 배우자 말이에요":                       {"", "배우자"},
		"아 아니 3년차를 말한 거예요":                    {"", "3년차"},
		"no i meant the secondary one":        {"", "the secondary one"},
		"No, I meant for part-timers?":        {"", "for part-timers"},
		"I meant the deposit, not the rent":   {"the rent", "the deposit"},
		"sorry, i was asking about dental":    {"", "dental"},
		"회의는 화요일이 아니라 수요일이야":                  {},
		"월요일 말고 화요일에 잡아줘":                     {},
		"무슨 말이야?":                             {},
		"아니 그게 무슨 말이야?":                       {},
		"no":                                  {},
		"I mean it is raining, you know":      {},
		"아니 휴가 말한 거야":                         {"", "휴가"},
		"아니 나이 말한 거예요":                        {"", "나이"},
		"no, I asked for the deposit":         {"", "the deposit"},
		"I meant business trips":              {"", "business trips"},
		"I meant those who are part-time":     {"", "those who are part-time"},
		"no, I meant IT":                      {"", "IT"},
		"어제 팀장님이 말한 건?":                       {}, // what others said
		"회의에서 말한 거":                           {},
		"사장님이 말한 건가요?":                        {},
		"아 팀장님이 물어본 거예요":                      {},
		"아니 내가 말이야":                           {},
		"지난번에 물어본 거":                          {},
		"I mean it's fine":                    {},
		"I mean it":                           {},
		"I meant yes":                         {},
		"I meant to call you":                 {},
		"I mean the food was great":           {},
		"well i asked for a refund yesterday": {},
		"well i asked for a refund":           {},
		"no i mean what is the notice period": {},
		"계약금은 얼마야?":                           {},
	} {
		not, about, ok := correction.Asked(sentence)
		if got := [2]string{not, about}; ok && got != want || ok != (want[1] != "") {
			t.Errorf("%q: %q, %v, want %q", sentence, got, ok, want)
		}
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	rent, trips := "보증금은 언제 내?", "What is the meal allowance on trips?"
	for _, c := range []struct {
		said, want string
		before     []string
	}{
		{"no i meant abroad", "What is the meal allowance on trips abroad", []string{trips, rent}},
		{"보증금 말고 계약금 물어본 거야", "계약금 언제 내", []string{trips, rent}},
		{"I meant the taxi allowance, not the meal allowance", "What is the taxi allowance on trips", []string{trips}},
		{"I meant the end, not the art", "the end", []string{"What is the start date?"}}, // the art in "start"
		{"차 말고 집 물어본 거야", "집", []string{"주차장 보험은 얼마야?"}},
		{"차 말고 집 물어본 거야", "집 보험은 얼마야", []string{"차 보험은 얼마야?"}},
		{"sorry, I meant part-timers", "What is the meal allowance on trips part-timers", []string{"no i meant contractors", trips}},
		{"I meant part-timers, not contractors", "What is the meal allowance on trips part-timers", []string{"no i meant contractors", trips}},
		{"sorry, I meant part-timers", "", []string{"no i meant contractors"}},
		{"아니 그거 말고 벌칙 물어본 거", "보증금은 언제 내 벌칙", []string{rent}},
		{"월세 말고 계약금 물어본 거야", "계약금", []string{rent}}, // nobody asked for the rent
		{"no i meant abroad", "", nil},
		{"thanks", "", []string{rent}},
	} {
		if got, ok := correction.Whole(c.said, c.before); got != c.want || ok != (c.want != "") {
			t.Errorf("%q after %q: %q, %v", c.said, c.before, got, ok)
		}
	}
}
