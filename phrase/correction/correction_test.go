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
